import type { AuthClient } from 'google-auth-library';
import type { PoolConfig } from 'pg';
import type { CloudSqlLocation } from '../config/database-location.ts';

/** Connection options for pg; `close` ends the renewal of the certificate. */
export type CloudSql = { readonly options: PoolConfig; readonly close: () => void };

/**
 * Opens a connector to a Cloud SQL instance, with an IAM login instead of a password. Without `auth` it logs in with the
 * Application Default Credentials.
 */
export async function openCloudSql(
  { instance, database, user, ipType }: CloudSqlLocation,
  auth?: AuthClient,
): Promise<CloudSql> {
  // Loaded on use: it adds more to a cold start than everything else together.
  const { AuthTypes, Connector, IpAddressTypes } = await import('@google-cloud/cloud-sql-connector');
  const connector = new Connector(auth && { auth });
  const connection = await connector.getOptions({
    instanceConnectionName: instance,
    ipType: IpAddressTypes[ipType],
    authType: AuthTypes.IAM,
  });
  return { options: { ...connection, user, database }, close: () => connector.close() };
}
