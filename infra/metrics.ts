/** A number in a log line of maintain, under `jsonPayload`, from which Cloud Monitoring makes a metric. */
export type Metric = {
  readonly field: string;
  readonly title: string;
  readonly description: string;
  /** A count if omitted. */
  readonly unit?: 's' | 'By';
};

/**
 * The contract between `maintain` and the alerts: on each request for its metrics, `maintain` logs one line
 * with `action: "metrics"` and all of these fields as numbers.
 */
export const metrics = [
  { field: 'depth_pending', title: 'Pending events', description: 'Events in PENDING.' },
  {
    field: 'oldest_pending_seconds',
    title: 'Age of the oldest pending event',
    unit: 's',
    description:
      'Seconds since the oldest pending event was captured that does not fail by itself; 0 if there is none.',
  },
  {
    field: 'failed_permanently_24h',
    title: 'Failed permanently in 24 hours',
    description: 'Events that became FAILED_PERMANENTLY in the last 24 hours.',
  },
  {
    field: 'stuck_processing',
    title: 'Stuck in processing',
    description:
      'Events in PROCESSING whose lease had expired when the schedule last asked for a tick, and that no worker claimed.',
  },
  {
    field: 'captured_1h',
    title: 'Captured in the last hour',
    description: 'Events captured in the last hour.',
  },
  {
    field: 'inflow_ratio',
    title: 'Inflow compared with the usual rate',
    description:
      'Captures of the last hour divided by the mean hourly rate of the week before, for the event type with the highest ratio; inflow_type names it.',
  },
  {
    field: 'database_size_bytes',
    title: 'Size of the database',
    unit: 'By',
    description: 'Bytes of the database, without its write-ahead log.',
  },
  {
    field: 'oldest_transaction_seconds',
    title: 'Age of the oldest transaction',
    unit: 's',
    description:
      'Seconds since the oldest open transaction of the database began; not reported if the login of maintain may not see it.',
  },
  {
    field: 'succeeded_1h',
    title: 'Delivered in the last hour',
    description: 'Events that became SUCCEEDED in the last hour.',
  },
  {
    field: 'unrouted_open',
    title: 'Open events without a route',
    description: 'Open events that no route matches.',
  },
  {
    field: 'held_open',
    title: 'Open events of held targets',
    description: 'Open events whose target an operator holds.',
  },
  {
    field: 'paused_run_events',
    title: 'Events in paused replays',
    description: 'Events that wait in replays that are paused.',
  },
  {
    field: 'seconds_since_last_tick',
    title: 'Time since the last tick',
    unit: 's',
    description: 'Seconds since the last tick ended without a failure; not reported before the first one.',
  },
  {
    field: 'groups_new_1h',
    title: 'New error groups in the last hour',
    description: 'Error groups first seen in the last hour.',
  },
  {
    field: 'groups_regressed_1h',
    title: 'Regressed error groups in the last hour',
    description: 'Resolved error groups that failed again in the last hour.',
  },
  {
    field: 'failing_seconds',
    title: 'Age of the oldest cause that fails by itself',
    unit: 's',
    description:
      'Seconds since the oldest cause that still fails at its target was first seen; 0 without one.',
  },
  {
    field: 'breakers_open',
    title: 'Targets with an open breaker',
    description: 'Targets to which deliveries are paused.',
  },
] as const satisfies readonly Metric[];

export type MetricField = (typeof metrics)[number]['field'];

/** The `action` of the log line with the metrics. */
export const metricsAction = 'metrics';

/** The `action` of the log line that ends a tick, and its `stopped` if another tick was running. */
export const tickAction = 'tick';
export const stoppedForAnother = 'another tick is running';
