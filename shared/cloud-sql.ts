import type { PoolConfig } from 'pg';
import type { CloudSqlPlace } from './database-place.ts';

/** What a client of pg connects with, and what ends the renewal of its certificate. */
export type CloudSql = { readonly options: PoolConfig; readonly close: () => void };

/** Opens the way to an instance of Cloud SQL, with an IAM login in place of a password. */
export async function openCloudSql({ instance, database, user, ipType }: CloudSqlPlace): Promise<CloudSql> {
  // Loaded only where it is used: it costs a cold start more than everything else together.
  const { AuthTypes, Connector, IpAddressTypes } = await import('@google-cloud/cloud-sql-connector');
  const connector = new Connector();
  const way = await connector.getOptions({
    instanceConnectionName: instance,
    ipType: IpAddressTypes[ipType],
    authType: AuthTypes.IAM,
  });
  return { options: { ...way, user, database }, close: () => connector.close() };
}
