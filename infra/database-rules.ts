import * as pulumi from '@pulumi/pulumi';
import type { AlertRule, Watched } from './alert-rule.ts';
import { latest, measured } from './promql.ts';

const minute = 60;
const hour = 3600;

/** The alerts on the database, and on its instance if that is on Cloud SQL. */
export function ruleDatabase(watched: Watched): AlertRule[] {
  return [
    {
      id: 'old-transaction',
      title: 'a transaction is open for more than 15 minutes',
      query: `${latest(watched.name, 'oldest_transaction_seconds')} > ${15 * minute}`,
      forSeconds: 0,
      severity: 'WARNING',
      meaning: 'Vacuum keeps what was updated or deleted since it began: claims slow down, and tables grow.',
    },
    ...ruleInstance(watched),
  ];
}

function ruleInstance({ instance, thresholds: { alertDiskDays } }: Watched): AlertRule[] {
  if (!instance) return [];
  const labels = pulumi.interpolate`database_id="${instance.id}"`;
  const disks = 'cloudsql.googleapis.com/database/disk';
  const disk = `${disks}/utilization`;
  const backends = 'cloudsql.googleapis.com/database/postgresql/num_backends';
  // Others have connections of their own to a shared instance: its limit is not the budget of the deployment.
  const database = instance.sharedDatabase && pulumi.interpolate`, database="${instance.sharedDatabase}"`;
  const connections = pulumi.interpolate`${labels}${database ?? ''}`;
  return [
    {
      id: 'database-disk',
      title: 'the disk of the database is 85 % full',
      query: labels.apply((own) => `max(${measured(disk, 'cloudsql_database', own)}) > 0.85`),
      forSeconds: 15 * minute,
      severity: 'CRITICAL',
      meaning: 'The disk grows automatically, but too slowly, or it has reached its limit.',
    },
    {
      id: 'database-disk-days',
      title: `the disk of the database will be full within ${alertDiskDays} days`,
      query: labels.apply((own) => {
        const [used, quota] = [`${disks}/bytes_used`, `${disks}/quota`].map((metric) =>
          measured(metric, 'cloudsql_database', own),
        );
        return `max(predict_linear(${used}[6h], ${alertDiskDays * 24 * hour})) > max(${quota})`;
      }),
      forSeconds: hour,
      severity: 'WARNING',
      meaning:
        'At the growth of the last 6 hours. A disk that grows automatically is enlarged before, at a cost, up to its limit.',
    },
    {
      id: 'database-connections',
      title: `more than ${instance.plannableConnections} connections are open`,
      query: connections.apply(
        (own) => `sum(${measured(backends, 'cloudsql_database', own)}) > ${instance.plannableConnections}`,
      ),
      forSeconds: 10 * minute,
      severity: 'WARNING',
      meaning:
        'The functions use fewer: other clients hold connections, and PostgreSQL will soon refuse new ones.',
    },
  ];
}
