import * as pulumi from '@pulumi/pulumi';
import { counted, latest, measured } from './promql.ts';

/** What the rules watch. */
export type Watched = {
  readonly name: string;
  /** The push subscriptions, and those where what they gave up waits. */
  readonly subscriptions: readonly string[];
  readonly lastResorts: readonly string[];
  /** `project:instance` and what it may hold; nothing where the database is not on Cloud SQL. */
  readonly instance?: WatchedInstance | undefined;
  readonly thresholds: Thresholds;
};

export type WatchedInstance = { readonly id: pulumi.Input<string>; readonly plannableConnections: number };

export type Thresholds = {
  readonly alertPending: number;
  readonly alertOldestHours: number;
  readonly alertFailedPermanently: number;
  readonly alertTickHours: number;
};

/** `id` is also the heading in docs/runbook.md that says what to do. */
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
  const { alertPending, alertOldestHours, alertFailedPermanently } = thresholds;
  return [
    {
      id: 'pending-events',
      title: `more than ${alertPending} events are pending`,
      query: `${latest(name, 'depth_pending')} > ${alertPending}`,
      forSeconds: 15 * minute,
      severity: 'WARNING',
      meaning: 'More fails than is delivered again: a consumer, or something that it depends on, is down.',
    },
    {
      id: 'oldest-pending-event',
      title: `an event is pending for more than ${alertOldestHours} h`,
      query: `${latest(name, 'oldest_pending_seconds')} > ${alertOldestHours * hour}`,
      forSeconds: 15 * minute,
      severity: 'WARNING',
      meaning: 'It is retried without success, has no route, or is held back by another of its key.',
    },
    {
      id: 'permanent-failures',
      title: `more than ${alertFailedPermanently} events failed permanently within a day`,
      query: `${latest(name, 'failed_permanently_24h')} > ${alertFailedPermanently}`,
      forSeconds: 0,
      severity: 'ERROR',
      meaning: 'Nobody will try them again until a person replays or discards them.',
    },
    {
      id: 'stuck-in-processing',
      title: 'events are stuck in processing',
      query: `${latest(name, 'stuck_processing')} > 0`,
      forSeconds: 15 * minute,
      severity: 'ERROR',
      meaning: 'Whoever worked on them died, and no tick has taken them up since.',
    },
  ];
}

function ruleWork({ name, thresholds, subscriptions, lastResorts }: Watched): AlertRule[] {
  const { alertTickHours } = thresholds;
  const among = (names: readonly string[]) => `subscription_id=~"${names.join('|')}"`;
  const oldest = 'pubsub.googleapis.com/subscription/oldest_unacked_message_age';
  const waiting = 'pubsub.googleapis.com/subscription/num_undelivered_messages';
  return [
    {
      id: 'no-tick',
      title: `no tick succeeded for ${alertTickHours} h`,
      // Half an hour without a tick, for the rest of the time: a look back over all of it would call out at once in
      // an office that has just been opened and had none yet.
      query: `${counted(name, 'ticks', '30m')} < 0.5`,
      forSeconds: alertTickHours * hour - 30 * minute,
      severity: 'CRITICAL',
      meaning: 'Nothing is retried: the schedule is paused or refused, or retry fails.',
    },
    {
      id: 'no-figures',
      title: 'no figures for an hour',
      query: `${counted(name, 'figures', '30m')} < 0.5`,
      forSeconds: 30 * minute,
      severity: 'ERROR',
      meaning: 'maintain does not say how the office is, so that the alerts that rest on it cannot fire.',
    },
    {
      id: 'push-backlog',
      title: 'captures wait in Pub/Sub',
      query:
        `max(${measured(oldest, 'pubsub_subscription', among(subscriptions))}) > ${15 * minute} or ` +
        `sum(${measured(waiting, 'pubsub_subscription', among(lastResorts))}) > 0`,
      forSeconds: 5 * minute,
      severity: 'ERROR',
      meaning:
        'A function refuses what Pub/Sub brings, or has refused it a hundred times. Nothing is lost for 31 days.',
    },
  ];
}

function ruleDatabase({ instance }: Watched): AlertRule[] {
  if (!instance) return [];
  const labels = pulumi.interpolate`database_id="${instance.id}"`;
  const disk = 'cloudsql.googleapis.com/database/disk/utilization';
  const backends = 'cloudsql.googleapis.com/database/postgresql/num_backends';
  return [
    {
      id: 'database-disk',
      title: 'the disk of the database is 85 % full',
      query: labels.apply((own) => `max(${measured(disk, 'cloudsql_database', own)}) > 0.85`),
      forSeconds: 15 * minute,
      severity: 'CRITICAL',
      meaning:
        'It grows by itself; that it is full all the same means that it grows too slowly, or has met a limit.',
    },
    {
      id: 'database-connections',
      title: `more than ${instance.plannableConnections} connections are open`,
      query: labels.apply(
        (own) => `sum(${measured(backends, 'cloudsql_database', own)}) > ${instance.plannableConnections}`,
      ),
      forSeconds: 10 * minute,
      severity: 'WARNING',
      meaning: 'The functions keep to less: somebody else holds connections, and soon one will be refused.',
    },
  ];
}
