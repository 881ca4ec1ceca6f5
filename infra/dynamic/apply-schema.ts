import { isDeepStrictEqual } from 'node:util';
import { selectCredentials } from '../../migrations/credentials.ts';
import { deploySchema, type Logins } from '../../migrations/deploy-schema.ts';
import type { CloudSqlLocation } from '../../shared/config/database-location.ts';
import { changeInstance, listMissing, type SqlDatabase } from '../cloud-sql.ts';
import type { DynamicKind } from './dynamic-kind.ts';

/** `user` logs in with the credentials that run `pulumi up`. */
export type MigrationsInputs = Omit<CloudSqlLocation, 'kind'> &
  SqlDatabase & {
    /** Logins by group role. */
    readonly logins: Logins;
    /** Hashes by file. */
    readonly migrations: Readonly<Record<string, string>>;
  };

/**
 * Time for a new login, or a new role of the deployer, to become known: Google Cloud needs up to several
 * minutes.
 */
const timeoutSeconds = 300;

/**
 * Creates the database and its logins where they are missing, and migrates the schema. A failure fails the
 * stack update, and resources that depend on the schema stay unchanged. Database and logins that exist are
 * adopted, which the provider's own resources cannot do, and kept when it is removed.
 */
export const migrations: DynamicKind<MigrationsInputs> = {
  replaces: ['instance', 'database'],
  hasChanged: async ({ ask }, olds, news) =>
    (['user', 'ipType', 'users', 'logins', 'migrations'] as const).some(
      (field) => !isDeepStrictEqual(olds[field], news[field]),
    ) || (await listMissing(ask, news)).some(({ method }) => method === 'POST'),
  apply: async ({ ask, readConfig }, inputs) => {
    // One at a time, a limit of Cloud SQL.
    for (const change of await listMissing(ask, inputs)) await changeInstance(ask, change);
    const { instance, database, user, ipType, logins } = inputs;
    const location = { kind: 'cloud-sql', instance, database, user, ipType } as const;
    // Those of the provider: the account that creates the resources migrates the schema.
    const credentials = selectCredentials(process.env, readConfig);
    await deploySchema(location, { logins, timeoutSeconds, credentials });
  },
};
