import { parseArgs } from 'node:util';
import { type DatabaseEnvironment, readDatabaseLocation } from '../shared/config/database.ts';
import { type Checked, checkAll, reject } from '../shared/config/validate.ts';
import { ConfigError, DeadLetterError } from '../shared/errors.ts';
import { applyMigrations } from './apply-migrations.ts';
import { deploySchema, type Logins } from './deploy-schema.ts';
import { describeError } from './describe-error.ts';
import { prepareDatabase } from './prepare-database.ts';
import { withClient } from './with-client.ts';

/**
 * Applies all pending migrations with the login of `databaseUrl`. Returns their names. Throws a
 * ConflictError, and changes nothing, if the server is too old or dlq_events is a table of others.
 */
export function migrate(databaseUrl: string, folder?: string): Promise<string[]> {
  return withClient({ kind: 'url', url: databaseUrl }, async (client) => {
    await prepareDatabase(client, folder);
    return applyMigrations(client, folder);
  });
}

type CommandEnvironment = DatabaseEnvironment & {
  /** `role=login,role=login`: logins and their group roles. */
  readonly DB_LOGINS?: string;
};

const help = `npm run migrate applies all pending migrations to the database of DATABASE_URL, or of INSTANCE_CONNECTION_NAME with
DB_NAME and DB_USER, in one transaction. DB_LOGINS=role=login,... grants logins their roles. It has no options but --help.
docs/adopt.md turns a dlq_events table of the articles into the schema.`;

/** `npm run migrate`: migrates, prints the result in one line, and returns the exit code. */
async function runCommand(env: CommandEnvironment, args: readonly string[]): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help) {
      console.log(help);
      return 0;
    }
    const applied = await migrateFromEnvironment(env);
    const isCurrent = applied.length === 0;
    console.log(isCurrent ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
    return 0;
  } catch (error) {
    console.error(describeFailure(error));
    return 1;
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof DeadLetterError) return error.message;
  const isUsage = String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
  return isUsage
    ? `${describeError(error)}. Nothing was changed.\n${help}`
    : `The migration failed. ${describeError(error)}`;
}

/** With DB_LOGINS, and on Cloud SQL, dlq_owner owns the schema: any deploying login migrates next. */
function migrateFromEnvironment(env: CommandEnvironment): Promise<string[]> {
  const checked = checkAll({ location: readDatabaseLocation(env), logins: readLogins(env) });
  if (!checked.ok) throw new ConfigError(checked.problems);
  const { location, logins } = checked.value;
  if (location.kind === 'url' && env.DB_LOGINS === undefined) return migrate(location.url);
  return deploySchema(location, { logins });
}

function readLogins({ DB_LOGINS: text = '' }: CommandEnvironment): Checked<Logins> {
  const logins: Record<string, string[]> = {};
  for (const pair of text.split(',').filter((each) => each !== '')) {
    const [, role, login] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
    if (!role || !login) return reject('DB_LOGINS', pair, 'Must look like dlq_capture=capture@acme.iam.');
    logins[role] = [...(logins[role] ?? []), login];
  }
  return { ok: true, value: logins };
}

if (import.meta.main) process.exitCode = await runCommand(process.env, process.argv.slice(2));
