import { parseArgs } from 'node:util';
import { isTimeZone } from '../../shared/config/time-zone.ts';
import { ConfigError, type Problem } from '../../shared/errors.ts';
import { warningNames } from './find-warnings.ts';

/** The flags of `npm run adopt`. */
export type Arguments = {
  readonly isHelp: boolean;
  readonly isDryRun: boolean;
  readonly isCancel: boolean;
  readonly accepted: readonly string[];
  readonly lockAttempts: number;
  readonly timeZone: string | undefined;
  readonly from: string | undefined;
  readonly map: string | undefined;
};

export const help = `npm run adopt -- [--dry-run] [--accept NAME]... [--time-zone ZONE] [--map FILE]
  turns the table dlq_events of the database of DATABASE_URL (or INSTANCE_CONNECTION_NAME, DB_NAME and DB_USER) into that of
  this product, while its consumers go on. Interrupted, the same command continues.
npm run adopt -- --cancel
  removes what an unfinished adoption created. The table stays as it is.
npm run adopt -- --from TABLE [--map FILE] [--dry-run] [--time-zone ZONE]
  imports the rows of any other table, and leaves it as it is. Repeated, it imports the rows that were added since.

  --dry-run         prints what is carried over, what stands in the way, and how long it takes. Changes nothing.
  --accept NAME     accepts the warnings of that name: ${warningNames.join(', ')}.
  --map FILE        JSON with the columns and the words for statuses that differ from the known ones.
  --time-zone ZONE  the zone of times without one, such as Europe/Berlin; default: TimeZone of the database.
  --lock-attempts N attempts to lock the table while other transactions hold it, at most 1.6 s apart; default: 25.
  --help            prints this text.
docs/adopt.md has the rest.`;

/** Reads the flags. Throws a ConfigError that lists every problem. */
export function readArguments(args: readonly string[]): Arguments {
  const values = parse(args);
  const unknown = (values.accept ?? []).filter((name) => !warningNames.includes(name));
  const problems: Problem[] = unknown.map((value) => ({
    field: '--accept',
    value,
    remedy: `Use one of ${warningNames.join(', ')}.`,
  }));
  if (values.cancel && (values.from ?? values.map ?? values['dry-run'])) {
    problems.push({ field: '--cancel', value: true, remedy: 'Give it alone.' });
  }
  const lockAttempts = values['lock-attempts'] ?? '25';
  if (!/^[1-9]\d{0,3}$/.test(lockAttempts)) {
    problems.push({
      field: '--lock-attempts',
      value: lockAttempts,
      remedy: 'Use a whole number from 1 to 9999.',
    });
  }
  const timeZone = values['time-zone'];
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    problems.push({ field: '--time-zone', value: timeZone, remedy: 'Use a name such as Europe/Berlin.' });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    isHelp: values.help ?? false,
    isDryRun: values['dry-run'] ?? false,
    isCancel: values.cancel ?? false,
    accepted: values.accept ?? [],
    lockAttempts: Number(lockAttempts),
    timeZone,
    from: values.from,
    map: values.map,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        'dry-run': { type: 'boolean' },
        cancel: { type: 'boolean' },
        accept: { type: 'string', multiple: true },
        'lock-attempts': { type: 'string' },
        'time-zone': { type: 'string' },
        from: { type: 'string' },
        map: { type: 'string' },
      },
    }).values;
  } catch (cause) {
    throw new ConfigError([
      {
        field: 'the command line',
        value: args.join(' '),
        remedy: `${(cause as Error).message}. npm run adopt -- --help lists the flags.`,
      },
    ]);
  }
}
