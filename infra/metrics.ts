/** A number in a log line of maintain, under `jsonPayload`, from which Cloud Monitoring makes a metric. */
export type Metric = {
  readonly field: string;
  readonly title: string;
  /** A count if omitted. */
  readonly unit?: 's' | 'By';
};

/**
 * The contract between `maintain` and the alerts: on each request for its metrics, `maintain` logs one line
 * with `action: "metrics"` and all of these fields as numbers. docs/metrics.md describes each.
 */
export const metrics = [
  { field: 'depth_pending', title: 'Pending events' },
  { field: 'oldest_pending_seconds', title: 'Age of the oldest pending event', unit: 's' },
  { field: 'failed_permanently_24h', title: 'Failed permanently in 24 hours' },
  { field: 'stuck_processing', title: 'Stuck in processing' },
  { field: 'captured_1h', title: 'Captured in the last hour' },
  { field: 'inflow_ratio', title: 'Inflow compared with the usual rate' },
  { field: 'database_size_bytes', title: 'Size of the database', unit: 'By' },
  { field: 'oldest_transaction_seconds', title: 'Age of the oldest transaction', unit: 's' },
  { field: 'succeeded_1h', title: 'Delivered in the last hour' },
  { field: 'unrouted_open', title: 'Open events without a route' },
  { field: 'held_open', title: 'Open events of held targets' },
  { field: 'paused_run_events', title: 'Events in paused replays' },
  { field: 'seconds_since_last_tick', title: 'Time since the last tick', unit: 's' },
  { field: 'groups_new_1h', title: 'New error groups in the last hour' },
  { field: 'groups_regressed_1h', title: 'Regressed error groups in the last hour' },
  { field: 'failing_seconds', title: 'Age of the oldest cause that fails by itself', unit: 's' },
  { field: 'breakers_open', title: 'Targets with an open breaker' },
] as const satisfies readonly Metric[];

export type MetricField = (typeof metrics)[number]['field'];

/** The `action` of the log line with the metrics. */
export const metricsAction = 'metrics';

/** The `action` of the log line that ends a tick, and its `stopped` if another tick was running. */
export const tickAction = 'tick';
export const stoppedForAnother = 'another tick is running';
