import { isDeepStrictEqual } from 'node:util';
import { selectCredentials } from '../../migrations/credentials.ts';
import { deploySchema, type Logins } from '../../migrations/deploy-schema.ts';
import type { CloudSqlLocation } from '../../shared/config/database-location.ts';
import type { DynamicKind } from '../dynamic/dynamic-kind.ts';

/** `user` logs in with the credentials that run `pulumi up`. */
export type MigrationsInputs = Omit<CloudSqlLocation, 'kind'> & {
  /** Existing logins by group role. */
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
 * Migrates the schema. A failure fails the stack update, and resources that depend on the schema stay
 * unchanged.
 */
export const migrations: DynamicKind<MigrationsInputs> = {
  replaces: ['instance', 'database'],
  identify: ({ instance, database }) => `${instance}/${database}`,
  hasChanged: async (_deps, olds, news) =>
    (['user', 'ipType', 'logins', 'migrations'] as const).some(
      (field) => !isDeepStrictEqual(olds[field], news[field]),
    ),
  apply: async ({ readConfig }, { instance, database, user, ipType, logins }) => {
    const location = { kind: 'cloud-sql', instance, database, user, ipType } as const;
    // Those of the provider: the account that creates the resources migrates the schema.
    const credentials = selectCredentials(process.env, readConfig);
    await deploySchema(location, { logins, timeoutSeconds, credentials });
  },
};
