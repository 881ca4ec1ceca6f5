import * as v from 'valibot';
import { type DatabaseEnvironment, readDatabasePlace } from '../shared/database-place.ts';
import { ConfigError } from '../shared/errors.ts';
import { type Checked, check, refuse } from '../shared/validate.ts';
import { applyMigrations } from './apply-migrations.ts';
import { deploySchema, type Logins } from './deploy-schema.ts';
import { describeError } from './describe-error.ts';
import { withClient } from './with-client.ts';

/** Brings the schema of a database up to date, as its login, and returns the names of the migrations it applied. */
export function migrate(databaseUrl: string, folder?: string): Promise<string[]> {
  return withClient({ kind: 'url', url: databaseUrl }, (client) => applyMigrations(client, folder));
}

type CommandEnvironment = DatabaseEnvironment & {
  /** Logins by group role as JSON; an infrastructure that leaves migrating to people tells what to set. */
  readonly DB_LOGINS?: string;
};

/** What `npm run migrate` does: says in a line what came of it, and returns the exit code. */
async function runCommand(env: CommandEnvironment): Promise<number> {
  try {
    const applied = await migrateAsTold(env);
    const isCurrent = applied.length === 0;
    console.log(isCurrent ? 'Nothing to do: the schema is up to date.' : `Applied ${applied.join(', ')}.`);
    return 0;
  } catch (error) {
    const isConfig = error instanceof ConfigError;
    console.error(isConfig ? error.message : `The database is not up to date. ${describeError(error)}`);
    return 1;
  }
}

/** Where other logins are told of, or can be expected, nothing is to belong to whoever happens to migrate. */
function migrateAsTold(env: CommandEnvironment): Promise<string[]> {
  const place = readDatabasePlace(env);
  const logins = readLogins(env);
  if (!place.ok || !logins.ok) {
    throw new ConfigError([place, logins].flatMap((checked) => (checked.ok ? [] : checked.problems)));
  }
  if (place.value.kind === 'url' && env.DB_LOGINS === undefined) return migrate(place.value.url);
  return deploySchema(place.value, { logins: logins.value });
}

const LoginsSchema = v.record(v.string(), v.array(v.string('Give the name of a login.')));

function readLogins({ DB_LOGINS: text = '{}' }: CommandEnvironment): Checked<Logins> {
  try {
    return check(LoginsSchema, JSON.parse(text), 'DB_LOGINS');
  } catch {
    return refuse('DB_LOGINS', text, 'Must be JSON such as {"dlq_capture": ["capture@acme.iam"]}.');
  }
}

if (import.meta.main) process.exitCode = await runCommand(process.env);
