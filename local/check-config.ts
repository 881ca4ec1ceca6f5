import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { describeError } from '../migrations/describe-error.ts';
import { openDatabase } from '../shared/database/database.ts';
import { readConfig } from '../shared/environment/config.ts';
import { DatabaseUnavailableError, DeadLetterError } from '../shared/errors.ts';
import { describeEffects, describeUnmasked } from '../shared/schedule/config-effects.ts';

const help = `npm run check-config reads the configuration from the environment, reports all of its problems, and says what it would do to
the events in the database: which would be closed, blocked or unrouted. It changes nothing.
  --now FILE   JSON file with the routes that are in force: says which events would be unmasked`;

/** `npm run check-config`: prints the effects. */
async function checkConfig(args: readonly string[]): Promise<void> {
  const options = { help: { type: 'boolean', short: 'h' }, now: { type: 'string' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return console.log(help);
  const { database, routes, masks } = readConfig(process.env);
  const { ROUTES: _, ...env } = process.env;
  // An empty name is that of no file: readConfig would take it for none.
  const ROUTES_FILE = values.now === undefined ? undefined : resolve(values.now);
  const current = ROUTES_FILE && readConfig({ ...env, ROUTES_FILE });
  const db = openDatabase(database, 'check-config');
  try {
    const effects = [
      ...(await describeEffects(db, { routes })),
      ...(current ? await describeUnmasked(db, current, { routes, masks }) : []),
    ];
    console.log(
      effects.length === 0
        ? 'The configuration changes nothing for the events that are there.'
        : effects.join('\n'),
    );
  } finally {
    await db.close();
  }
}

try {
  await checkConfig(process.argv.slice(2));
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

function describeFailure(error: unknown): unknown {
  const code = String((error as { code?: unknown }).code);
  if (code.startsWith('ERR_PARSE_ARGS')) return `${describeError(error)}\n${help}`;
  const isUnavailable = error instanceof DatabaseUnavailableError;
  if (isUnavailable) return `Cannot read the events in DATABASE_URL: ${describeError(error)}.`;
  return error instanceof DeadLetterError ? error.message : error;
}
