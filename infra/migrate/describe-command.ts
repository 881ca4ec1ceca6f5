import type { Logins } from '../../migrations/deploy-schema.ts';
import type { CloudSqlPlace } from '../../shared/database-place.ts';

/**
 * The line with which a person migrates, where `pulumi up` does not reach the database: to be run in a clone of this
 * repository, by somebody who may log in as `user`, on a machine inside the network.
 */
export function describeCommand(place: Omit<CloudSqlPlace, 'kind'>, logins: Logins = {}): string {
  const variables = {
    INSTANCE_CONNECTION_NAME: place.instance,
    DB_NAME: place.database,
    DB_USER: place.user,
    DB_IP_TYPE: place.ipType,
    DB_LOGINS: JSON.stringify(logins),
  };
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`);
  return `${settings.join(' ')} npm run migrate`;
}

function quote(value: string): string {
  return /^[\w.@:-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
