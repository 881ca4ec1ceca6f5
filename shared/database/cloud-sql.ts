import { setTimeout as pause } from 'node:timers/promises';
import type { AuthClient } from 'google-auth-library';
import type { PoolConfig } from 'pg';
import type { CloudSqlLocation } from '../config/database.ts';
import { expiredToken } from '../errors.ts';

/** Connection options for pg; `close` ends the renewal of the certificate. */
export type CloudSql = { readonly options: PoolConfig; readonly close: () => void };

/** The identity for the Admin API, and its address if it is not googleapis.com. */
export type ConnectorOptions = {
  readonly auth?: AuthClient;
  readonly universeDomain?: string;
  readonly sqlAdminAPIEndpoint?: string;
};

/**
 * Opens a connector to a Cloud SQL instance, with an IAM login instead of a password. Without `auth` it logs
 * in with the Application Default Credentials. Throws an error that names the instance and the login if the
 * metadata server or the Admin API rejects the request or does not answer in time.
 */
export async function openCloudSql(
  location: CloudSqlLocation,
  timeoutMs: number,
  how: ConnectorOptions = {},
): Promise<CloudSql> {
  const { instance, database, user, ipType } = location;
  // Loaded on use: it adds more to a cold start than everything else together.
  const { AuthTypes, Connector, IpAddressTypes } = await import('@google-cloud/cloud-sql-connector');
  const connector = new Connector(how);
  const asking = connector.getOptions({
    instanceConnectionName: instance,
    ipType: IpAddressTypes[ipType],
    authType: AuthTypes.IAM,
  });
  try {
    const connection = await Promise.race([asking, pause(timeoutMs, undefined, { ref: false })]);
    if (connection) return { options: { ...connection, user, database }, close: () => connector.close() };
  } catch (cause) {
    const needed = `The login ${user} needs roles/cloudsql.client and roles/cloudsql.instanceUser; a new grant takes minutes.`;
    const remedy = (cause as { readonly status?: unknown }).status === 401 ? expiredToken : needed;
    const reason = `Cloud SQL rejected the connection to ${instance}: ${String(cause)}.`;
    throw new Error(`${reason} ${remedy}`, { cause });
  }
  // After a late answer the connector would renew its certificate forever.
  asking.then(() => connector.close()).catch(() => {});
  throw new Error(`Neither metadata server nor Cloud SQL Admin API answered within ${timeoutMs} ms.`);
}
