import type { Logins } from '../../migrations/deploy-schema.ts';
import type { CloudSqlLocation } from '../../shared/config/database-location.ts';

/**
 * Returns the command that migrates a database that `pulumi up` cannot reach. Run it in a clone of this repository, on a
 * machine inside the network, with the credentials of `user`.
 */
export function describeCommand(location: Omit<CloudSqlLocation, 'kind'>, logins: Logins = {}): string {
  const variables = {
    INSTANCE_CONNECTION_NAME: location.instance,
    DB_NAME: location.database,
    DB_USER: location.user,
    DB_IP_TYPE: location.ipType,
    DB_LOGINS: list(logins),
  };
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`);
  return `${settings.join(' ')} npm run migrate`;
}

function list(logins: Logins): string {
  return Object.entries(logins)
    .flatMap(([role, names]) => names.map((login) => `${role}=${login}`))
    .join(',');
}

function quote(value: string): string {
  return /^[\w.,@:=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
