import type { Metric } from './metric.ts';

const hour = 3600;
const byType = ['event_type'] as const;

/** All metrics. measure.ts takes each from a column of this name, in rows whose texts are its labels. */
export const metrics = {
  total: { help: 'events captured', by: byType },
  identity_conflicts_total: { help: 'events captured under the id of a different event', by: byType },
  recurrences_total: { help: 'failures of events after a redelivery', by: byType },
  retry_failures_total: { help: 'retries that failed', by: byType },
  deliveries_total: { help: 'events that became SUCCEEDED', by: byType },
  permanent_failures_total: { help: 'events that became FAILED_PERMANENTLY', by: byType },
  discards_total: { help: 'events that became DISCARDED', by: byType },
  events: { help: 'events by status', by: ['event_type', 'status'] },
  age_seconds: { help: 'age of the oldest open event that does not fail by itself, or 0', by: byType },
  breaker_state: { help: 'breakers of up to 100 targets: 0 closed, 1 half open, 2 open', by: ['target'] },
  error_groups: { help: 'error groups by state', by: ['state'] },
  job_age_seconds: { help: 'time since the last complete run of a job of maintain', by: ['job'] },

  depth_pending: {
    help: 'pending events',
    alert: {
      id: 'pending-events',
      title: 'more than {limit} events are pending',
      meaning: 'More events are captured than delivered: a consumer, or one of its dependencies, is down.',
      above: { setting: 'alertPending', default: 10_000, max: 1_000_000_000 },
    },
  },
  depth_processing: { help: 'leased events' },
  depth_succeeded: { help: 'delivered events' },
  depth_failed_permanently: { help: 'permanent failures' },
  depth_discarded: { help: 'discarded events' },
  oldest_pending_seconds: {
    help: 'age of the oldest open event that does not fail by itself',
    alert: {
      id: 'oldest-pending-event',
      title: 'an event is pending for more than {limit} hours',
      meaning: 'Its target is down or held, it matches no route, or it waits for another event of its key.',
      above: { setting: 'alertOldestHours', default: 24, max: 8760, factor: hour },
    },
  },
  captured_1h: { help: 'captured in the last hour (estimated)', chart: true },
  succeeded_1h: { help: 'delivered in the last hour (estimated)', chart: true },
  captured_24h: { help: 'captured in 24 clock hours' },
  recurrences_24h: { help: 'recurrences in 24 clock hours' },
  delivered_24h: { help: 'delivered in 24 clock hours' },
  failed_permanently_24h: {
    help: 'failed permanently in 24 clock hours',
    alert: {
      id: 'permanent-failures',
      title: 'more than {limit} events failed permanently within a day',
      meaning: 'They are not retried until an operator replays or discards them.',
      above: { setting: 'alertFailedPermanently', default: 100, max: 1_000_000_000 },
      forSeconds: 0,
      severity: 'ERROR',
    },
  },
  discarded_24h: { help: 'discarded in 24 clock hours' },
  permanent_failure_ratio: { help: 'share of permanent failures among events closed in 24 clock hours' },
  inflow_ratio: {
    help: 'inflow compared with the usual rate',
    note: 'captures of the last hour divided by the mean hourly rate of the week before, at least 100, of the type with the highest ratio',
    of: 'event_type',
    alert: {
      id: 'inflow',
      title: 'an event type is captured at more than {limit} times its usual rate',
      meaning:
        'A consumer fails on most of its messages, or a source repeats them. The log line of maintain names the type.',
      above: { setting: 'alertInflowRatio', default: 20, max: 10_000 },
      forSeconds: 0,
    },
  },
  expired_leases: { help: 'events with an expired lease' },
  stuck_events: {
    help: 'events stuck in processing',
    note: 'their lease had expired for 10 s when the schedule last asked for a tick, even if it found another tick running',
    alert: {
      id: 'stuck-in-processing',
      title: 'events are stuck in processing',
      meaning: 'Their worker died or hangs, and the ticks since have not claimed them.',
      above: 0,
      severity: 'ERROR',
    },
  },
  retry_lag_seconds: { help: 'for how long the event that has waited longest has been due' },
  unrouted_events: {
    help: 'open events without a route',
    note: 'of an event type that also has routed ones up to 10,000 for each source are counted',
    chart: true,
  },
  held_events: {
    help: 'open events of held targets',
    alert: {
      id: 'held-target',
      title: 'events wait for a held target for a day',
      meaning: 'An operator holds their target: nothing else moves them.',
      above: 0,
      forSeconds: 24 * hour,
    },
  },
  paused_run_events: {
    help: 'events that wait in paused replays',
    alert: {
      id: 'paused-replay',
      title: 'events wait in a paused replay for a day',
      meaning: 'Their replay is paused: nothing else moves them.',
      above: 0,
      forSeconds: 24 * hour,
    },
  },
  failing_causes: { help: 'causes that fail by themselves at a target' },
  failing_events: { help: 'events that wait for such a cause' },
  failing_age_seconds: {
    help: 'age of the oldest cause that fails by itself',
    alert: {
      id: 'failing-cause',
      title: 'a cause fails by itself for more than {limit} hours',
      meaning:
        'Events fail with the same answer at a target that takes others: a person has to mend or discard them.',
      above: { setting: 'alertFailingHours', factor: hour },
    },
  },
  breakers_open: {
    help: 'targets with an open breaker',
    alert: {
      id: 'target-down',
      title: 'a target is down',
      meaning: 'It refuses connections, or answers nothing that it was not sent before. Ticks probe it.',
      above: 0,
      forSeconds: 1800,
      severity: 'ERROR',
    },
  },
  breakers_half_open: { help: 'targets with a breaker that is half open' },
  groups_open: { help: 'open error groups' },
  groups_regressed: { help: 'error groups that failed again after they were resolved' },
  new_error_groups: { help: 'error groups first seen within 24 hours' },
  // Of the last hour, so that an incident ends by itself and the next group is reported again.
  groups_new_1h: {
    help: 'error groups first seen within an hour',
    alert: {
      id: 'new-error-groups',
      title: 'at least {limit} error groups are new within an hour',
      meaning: 'An error group was first seen within an hour: a release, or a new kind of message.',
      above: { setting: 'alertNewGroups', default: 1, max: 1000 },
      atLeast: true,
      forSeconds: 0,
    },
  },
  groups_regressed_1h: {
    help: 'resolved error groups that failed again within an hour',
    alert: {
      id: 'regressed-error-groups',
      title: 'at least {limit} resolved error groups failed again within an hour',
      meaning: 'An error group that was marked as resolved failed again within an hour.',
      above: { setting: 'alertRegressedGroups', default: 1, max: 1000 },
      atLeast: true,
      forSeconds: 0,
    },
  },
  runs_24h: { help: 'ticks and replays that began within 24 hours' },
  stale_settlements: { help: 'outcomes discarded within 24 hours because their lease was lost' },
  last_tick_age_seconds: { help: 'time since the last tick ended, or the first measurement', chart: true },
  last_tick_duration_seconds: { help: 'duration of the last tick' },
  longest_run_seconds: { help: 'duration of the longest run within 24 hours' },
  late_jobs: {
    help: 'jobs of maintain that are late',
    note: 'two of their intervals have passed since their last complete run',
    alert: {
      id: 'late-job',
      title: 'a job of maintain is late',
      meaning: 'It fails, or does not get through its work: closed events stay, and old ones are kept.',
      above: 0,
      forSeconds: hour,
    },
  },
  database_size_bytes: {
    help: 'size of the database',
    note: 'without its write-ahead log',
    chart: true,
  },
  database_connections: { help: 'connections to the whole server' },
  database_max_connections: { help: 'connections that the server accepts' },
  database_oldest_transaction_seconds: {
    help: 'age of the oldest transaction',
    note: 'omitted if the role may not see the sessions of other roles',
    alert: {
      id: 'old-transaction',
      title: 'a transaction is open for more than 15 minutes',
      meaning: 'Vacuum keeps what was updated or deleted since it began: claims slow down, and tables grow.',
      above: 900,
      forSeconds: 0,
    },
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;

/** All metrics with their names, in order. */
export const listedMetrics = Object.entries<Metric>(metrics) as readonly (readonly [MetricName, Metric])[];

type LimitOf<Each> = Each extends {
  alert: { above: { setting: infer Name extends string; default: number } };
}
  ? Name
  : never;

/** The settings of the stack that only the alert of a metric reads. */
export type LimitName = LimitOf<(typeof metrics)[MetricName]>;

/** Their ranges, defaults and descriptions. */
export const limits = listedMetrics.flatMap(([, { alert }]) => {
  if (typeof alert?.above !== 'object') return [];
  const { title, atLeast } = alert;
  const { setting, default: fallback, max } = alert.above;
  if (fallback === undefined || max === undefined) return [];
  const clause = title.replace('{limit}', 'this many');
  const description = `Alert if ${clause}${atLeast ? '; 0: no alert' : ''}.`;
  return [{ setting, default: fallback, max, min: atLeast ? 0 : 1, description }];
});
