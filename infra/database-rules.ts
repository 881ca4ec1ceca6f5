import { type AlertRule, hour, minute, ofInstance, type Watched } from './alert-rule.ts';
import { budgetConnections } from './connection-budget.ts';
import { databaseNameOf } from './database.ts';

/** The alerts on the instance of the database, if that is on Cloud SQL. */
export function ruleDatabase({ instance, settings }: Watched): AlertRule[] {
  if (!instance) return [];
  const { alertDiskDays, existingInstance } = settings;
  const { plannable } = budgetConnections(settings);
  // Others have connections of their own to a shared instance: its limit is not the budget of the deployment.
  const backends = ofInstance(
    'postgresql/num_backends',
    existingInstance ? `, database="${databaseNameOf(settings)}"` : '',
  );
  const grown = `predict_linear(${ofInstance('disk/bytes_used')}[6h], ${alertDiskDays * 24 * hour})`;
  return [
    {
      id: 'database-down',
      title: 'the database is down',
      query: `(max(${ofInstance('up')}) or vector(0)) < 1`,
      severity: 'CRITICAL',
      meaning: 'Its instance is stopped, or suspended as while its key is disabled: nothing is captured.',
    },
    {
      id: 'database-disk',
      title: 'the disk of the database is 85 % full',
      query: `max(${ofInstance('disk/utilization')}) > 0.85`,
      severity: 'CRITICAL',
      meaning: 'The disk grows automatically, but too slowly, or it has reached its limit.',
    },
    {
      id: 'database-disk-days',
      title: `the disk of the database will be full within ${alertDiskDays} days`,
      query: `max(${grown}) > max(${ofInstance('disk/quota')})`,
      forSeconds: hour,
      meaning: 'At the growth of the last 6 hours. A disk that grows automatically has a limit, too.',
    },
    {
      id: 'database-connections',
      title: `more than ${plannable} connections are open`,
      query: `sum(${backends}) > ${plannable}`,
      forSeconds: 10 * minute,
      meaning: 'Others than the functions hold connections: PostgreSQL will soon refuse new ones.',
    },
  ];
}
