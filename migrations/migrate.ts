import { type DatabaseEnvironment, readDatabaseLocation } from '../shared/config/database-location.ts';
import { type Checked, reject } from '../shared/config/validate.ts';
import { ConfigError } from '../shared/errors.ts';
import { applyMigrations } from './apply-migrations.ts';
import { deploySchema, type Logins } from './deploy-schema.ts';
import { describeError } from './describe-error.ts';
import { prepareDatabase } from './prepare-database.ts';
import { withClient } from './with-client.ts';

/** Applies all pending migrations with the login of `databaseUrl`. Returns their names. */
export function migrate(databaseUrl: string, folder?: string): Promise<string[]> {
  return withClient({ kind: 'url', url: databaseUrl }, async (client) => {
    await prepareDatabase(client, folder);
    return applyMigrations(client, folder);
  });
}

type CommandEnvironment = DatabaseEnvironment & {
  /** `role=login,role=login`: logins and their group roles; `pulumi up` with migrateByHand prints the value. */
  readonly DB_LOGINS?: string;
};

/** `npm run migrate`: migrates, prints the result in one line, and returns the exit code. */
async function runCommand(env: CommandEnvironment): Promise<number> {
  try {
    const applied = await migrateFromEnvironment(env);
    const isCurrent = applied.length === 0;
    console.log(isCurrent ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
    return 0;
  } catch (error) {
    const isConfig = error instanceof ConfigError;
    console.error(isConfig ? error.message : `The migration failed. ${describeError(error)}`);
    return 1;
  }
}

/** With DB_LOGINS, and on Cloud SQL, the schema belongs to dlq_owner, so that any deploying login can migrate next. */
function migrateFromEnvironment(env: CommandEnvironment): Promise<string[]> {
  const location = readDatabaseLocation(env);
  const logins = readLogins(env);
  if (!location.ok || !logins.ok) {
    throw new ConfigError([location, logins].flatMap((checked) => (checked.ok ? [] : checked.problems)));
  }
  if (location.value.kind === 'url' && env.DB_LOGINS === undefined) return migrate(location.value.url);
  return deploySchema(location.value, { logins: logins.value });
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

if (import.meta.main) process.exitCode = await runCommand(process.env);
