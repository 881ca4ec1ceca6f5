import * as pulumi from '@pulumi/pulumi';
import { counted, latest, measured } from './promql.ts';
import type { Settings } from './settings.ts';

/** The resources and thresholds that the rules watch. */
export type Watched = {
  readonly name: string;
  /** The push subscriptions, and the subscriptions that keep their dead letters. */
  readonly subscriptions: readonly string[];
  readonly deadLetterSubscriptions: readonly string[];
  /** `project:instance` and its connection budget; undefined if the database is not on Cloud SQL. */
  readonly instance?:
    | { readonly id: pulumi.Input<string>; readonly plannableConnections: number }
    | undefined;
  readonly thresholds: Pick<
    Settings,
    | 'alertPending'
    | 'alertOldestHours'
    | 'alertFailedPermanently'
    | 'alertTickHours'
    | 'alertInflowRatio'
    | 'alertDiskDays'
  >;
};

/** `id` is also the heading in docs/runbook.md with the steps for the operator. */
export type AlertRule = {
  readonly id: string;
  readonly title: string;
  readonly query: pulumi.Input<string>;
  readonly forSeconds: number;
  readonly severity: 'CRITICAL' | 'ERROR' | 'WARNING';
  readonly meaning: string;
};

const minute = 60;
const hour = 3600;

export function alertRules(watched: Watched): readonly AlertRule[] {
  return [...ruleEvents(watched), ...ruleWork(watched), ...ruleDatabase(watched)];
}

function ruleEvents({ name, thresholds }: Watched): AlertRule[] {
  const { alertPending, alertOldestHours, alertFailedPermanently, alertInflowRatio } = thresholds;
  return [
    {
      id: 'pending-events',
      title: `more than ${alertPending} events are pending`,
      query: `${latest(name, 'depth_pending')} > ${alertPending}`,
      forSeconds: 15 * minute,
      severity: 'WARNING',
      meaning: 'More events are captured than delivered: a consumer, or one of its dependencies, is down.',
    },
    {
      id: 'oldest-pending-event',
      title: `an event is pending for more than ${alertOldestHours} h`,
      query: `${latest(name, 'oldest_pending_seconds')} > ${alertOldestHours * hour}`,
      forSeconds: 15 * minute,
      severity: 'WARNING',
      meaning: 'It fails on every retry, matches no route, or waits for another event of its key.',
    },
    {
      id: 'permanent-failures',
      title: `more than ${alertFailedPermanently} events failed permanently within a day`,
      query: `${latest(name, 'failed_permanently_24h')} > ${alertFailedPermanently}`,
      forSeconds: 0,
      severity: 'ERROR',
      meaning: 'They are not retried until an operator replays or discards them.',
    },
    {
      id: 'inflow',
      title: `an event type is captured at more than ${alertInflowRatio} times its usual rate`,
      query: `${latest(name, 'inflow_ratio')} > ${alertInflowRatio}`,
      forSeconds: 0,
      severity: 'WARNING',
      meaning:
        'A consumer fails on most of its messages, or a source repeats them. The log line of maintain names the type.',
    },
    {
      id: 'stuck-in-processing',
      title: 'events are stuck in processing',
      query: `${latest(name, 'stuck_processing')} > 0`,
      forSeconds: 15 * minute,
      severity: 'ERROR',
      meaning: 'Their worker died or hangs, and the ticks since have not claimed them.',
    },
  ];
}

function ruleWork({ name, thresholds, subscriptions, deadLetterSubscriptions }: Watched): AlertRule[] {
  const { alertTickHours } = thresholds;
  const among = (names: readonly string[]) => `subscription_id=~"${names.join('|')}"`;
  const oldest = 'pubsub.googleapis.com/subscription/oldest_unacked_message_age';
  const waiting = 'pubsub.googleapis.com/subscription/num_undelivered_messages';
  return [
    {
      id: 'no-tick',
      title: `no tick succeeded for ${alertTickHours} h`,
      // A window of 30 min for the remaining time: a window of alertTickHours would fire immediately in a new
      // deployment, which had no tick yet.
      query: `${counted(name, 'ticks', '30m')} < 0.5`,
      forSeconds: alertTickHours * hour - 30 * minute,
      severity: 'CRITICAL',
      meaning: 'No event is retried: the schedule is paused, its calls are rejected, or retry fails.',
    },
    {
      id: 'no-metrics',
      title: 'no metrics for an hour',
      query: `${counted(name, 'metrics', '30m')} < 0.5`,
      forSeconds: 30 * minute,
      severity: 'ERROR',
      meaning: 'maintain logs no metrics, so alerts on them cannot fire.',
    },
    {
      id: 'push-backlog',
      title: 'captures wait in Pub/Sub',
      query:
        `max(${measured(oldest, 'pubsub_subscription', among(subscriptions))}) > ${15 * minute} or ` +
        `sum(${measured(waiting, 'pubsub_subscription', among(deadLetterSubscriptions))}) > 0`,
      forSeconds: 5 * minute,
      severity: 'ERROR',
      meaning:
        'A function rejects messages from Pub/Sub, or has rejected one 100 times. Pub/Sub keeps them for 31 days.',
    },
  ];
}

function ruleDatabase({ instance, thresholds: { alertDiskDays } }: Watched): AlertRule[] {
  if (!instance) return [];
  const labels = pulumi.interpolate`database_id="${instance.id}"`;
  const disks = 'cloudsql.googleapis.com/database/disk';
  const disk = `${disks}/utilization`;
  const backends = 'cloudsql.googleapis.com/database/postgresql/num_backends';
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
      query: labels.apply(
        (own) => `sum(${measured(backends, 'cloudsql_database', own)}) > ${instance.plannableConnections}`,
      ),
      forSeconds: 10 * minute,
      severity: 'WARNING',
      meaning:
        'The functions use fewer: other clients hold connections, and PostgreSQL will soon refuse new ones.',
    },
  ];
}
