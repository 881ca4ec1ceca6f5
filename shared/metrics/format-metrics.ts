import { listMetrics } from './list-metrics.ts';
import type { Measurement, TypeMetric, TypeMetrics } from './measure.ts';

type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number };

/**
 * Event types with samples of their own: the first ones seen, as any other choice would let counters
 * decrease.
 */
const maxTypes = 100;

const counters = {
  dead_letter_total: ['captures', 'Events captured.'],
  dead_letter_recurrences_total: ['recurrences', 'Failures of events after a redelivery.'],
  dead_letter_retry_failures_total: ['retryFailures', 'Retries that failed.'],
  dead_letter_deliveries_total: ['deliveries', 'Events that became SUCCEEDED.'],
  dead_letter_permanent_failures_total: ['permanentFailures', 'Events that became FAILED_PERMANENTLY.'],
  dead_letter_discards_total: ['discards', 'Events that became DISCARDED.'],
  dead_letter_identity_conflicts_total: [
    'conflicts',
    'Events captured whose id names another event with other content, type or topic.',
  ],
} as const;

const statuses = {
  pending: 'PENDING',
  processing: 'PROCESSING',
  succeeded: 'SUCCEEDED',
  failedPermanently: 'FAILED_PERMANENTLY',
  discarded: 'DISCARDED',
} as const;

const breakerStates = { CLOSED: 0, HALF_OPEN: 1, OPEN: 2 } as const;

/** Fields of the log line that are also metrics, with name and help. */
const gauges: Readonly<Record<string, readonly [name: string, help: string]>> = {
  unrouted_open: ['dead_letter_unrouted_events', 'Open events without a route.'],
  held_open: ['dead_letter_held_events', 'Open events of targets that operators hold.'],
  paused_run_events: ['dead_letter_paused_run_events', 'Events that wait in paused replays.'],
  retry_lag_seconds: [
    'dead_letter_retry_lag_seconds',
    'Time for which the event that has waited longest of those that are due has been due.',
  ],
  causes_failing: ['dead_letter_failing_causes', 'Causes that fail by themselves at a target.'],
  failing_events: ['dead_letter_failing_events', 'Events whose cause fails by itself.'],
  failing_seconds: ['dead_letter_failing_age_seconds', 'Time since the first of these causes failed.'],
  expired_leases: ['dead_letter_expired_leases', 'Events with an expired lease.'],
  stuck_processing: [
    'dead_letter_stuck_events',
    'Events whose lease had expired when the schedule last asked for a tick.',
  ],
  permanent_failure_ratio_24h: [
    'dead_letter_permanent_failure_ratio',
    'Share of permanent failures among the events closed within 24 hours.',
  ],
  stale_settlements_24h: [
    'dead_letter_stale_settlements',
    'Outcomes discarded within 24 hours because their lease was lost.',
  ],
  seconds_since_last_tick: ['dead_letter_last_tick_age_seconds', 'Time since the last tick ended.'],
  last_tick_duration_seconds: ['dead_letter_last_tick_duration_seconds', 'Duration of the last tick.'],
  longest_run_seconds_24h: [
    'dead_letter_longest_run_seconds',
    'Duration of the longest run within 24 hours.',
  ],
  groups_new_24h: ['dead_letter_new_error_groups', 'Error groups first seen within 24 hours.'],
  database_size_bytes: ['dead_letter_database_size_bytes', 'Size of the database.'],
  database_connections: ['dead_letter_database_connections', 'Connections to the database server.'],
  database_max_connections: [
    'dead_letter_database_max_connections',
    'Connections that the database server accepts.',
  ],
  oldest_transaction_seconds: [
    'dead_letter_database_oldest_transaction_seconds',
    'Age of the oldest transaction.',
  ],
};

/**
 * Formats a measurement in the text format of Prometheus, version 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
 */
export function formatMetrics(measured: Measurement): string {
  const types = boundTypes(measured.types);
  const metrics = listMetrics(measured);
  const ofTypes = (field: TypeMetric) =>
    types.map((type) => ({ labels: { event_type: type.eventType }, value: type[field] }));
  const byStatus = types.flatMap((type) =>
    Object.entries(statuses).map(([field, status]) => ({
      labels: { event_type: type.eventType, status },
      value: type[field as keyof typeof statuses],
    })),
  );
  const breakers = measured.breakers.map(({ target, state }) => ({
    labels: { target },
    value: breakerStates[state],
  }));
  const groups = measured.groups.map(({ state, groups: value }) => ({ labels: { state }, value }));
  return [
    ...Object.entries(counters).map(([name, [field, help]]) => family(name, help, ofTypes(field))),
    family(
      'dead_letter_age_seconds',
      'Age of the oldest open event that does not fail by itself.',
      ofTypes('ageSeconds'),
    ),
    family('dead_letter_events', 'Events by status.', byStatus),
    family(
      'dead_letter_breaker_state',
      'Breakers of targets that ever failed: 0 closed, 1 half open, 2 open.',
      breakers,
    ),
    family(
      'dead_letter_inflow_ratio',
      'Captures of the last hour divided by the usual rate, for the type with the highest ratio.',
      measured.inflow
        ? [{ labels: { event_type: measured.inflow.eventType }, value: measured.inflow.ratio }]
        : [],
    ),
    family('dead_letter_error_groups', 'Error groups by state.', groups),
    ...Object.entries(gauges).map(([field, [name, help]]) => {
      const value = metrics[field];
      return family(name, help, value === undefined ? [] : [{ value }]);
    }),
  ].join('');
}

/** Combines the types after the first 100 into `other`: sums, and the age of the oldest. */
function boundTypes(types: readonly TypeMetrics[]): readonly TypeMetrics[] {
  const rest = types.slice(maxTypes);
  const other = rest.reduce<TypeMetrics | undefined>((sum, type) => (sum ? add(sum, type) : type), undefined);
  return [...types.slice(0, maxTypes), ...(other ? [{ ...other, eventType: 'other' }] : [])];
}

function add(one: TypeMetrics, two: TypeMetrics): TypeMetrics {
  const fields = Object.entries(one).map(([name, value]) => {
    const more = two[name as keyof TypeMetrics];
    if (typeof value !== 'number' || typeof more !== 'number') return [name, value];
    return [name, name === 'ageSeconds' ? Math.max(value, more) : value + more];
  });
  return Object.fromEntries(fields) as TypeMetrics;
}

/** The name of a counter ends in `_total`, as Prometheus recommends. */
function family(name: string, help: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return '';
  const type = name.endsWith('_total') ? 'counter' : 'gauge';
  const lines = samples.map(({ labels = {}, value }) => `${name}${formatLabels(labels)} ${value}`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`;
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** An event type may have any length and any characters. */
function escapeLabel(value: string): string {
  return value
    .slice(0, 200)
    .toWellFormed()
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}
