import { listFigures } from './list-figures.ts';
import type { Measurement, TypeFigures } from './measure.ts';

type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number };
type Family = {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly Sample[];
};

/** So many event types have samples of their own, the first that were ever seen: a choice that changes lets counters jump. */
const mostTypes = 100;

const counters = {
  dead_letter_total: ['captures', 'Events captured.'],
  dead_letter_returns_total: ['returns', 'Failures of events that had been delivered again.'],
  dead_letter_retry_failures_total: ['retry_failures', 'Retries that failed.'],
  dead_letter_deliveries_total: ['deliveries', 'Events that became SUCCEEDED.'],
  dead_letter_permanent_failures_total: ['permanent_failures', 'Events that became FAILED_PERMANENTLY.'],
  dead_letter_discards_total: ['discards', 'Events that became DISCARDED.'],
} as const;

const statuses = ['pending', 'processing', 'succeeded', 'failed_permanently', 'discarded'] as const;

const breakerStates = { CLOSED: 0, HALF_OPEN: 1, OPEN: 2 } as const;

/** Figures of the log line that are metrics as well, with the name and the meaning they have there. */
const gauges: Readonly<Record<string, readonly [name: string, help: string]>> = {
  unrouted_open: ['dead_letter_unrouted_events', 'Open events without a route, counted up to 100000.'],
  retry_lag_seconds: [
    'dead_letter_retry_lag_seconds',
    'For how long the longest waiting routed event has been due.',
  ],
  expired_leases: ['dead_letter_expired_leases', 'Events whose worker let the lease run out.'],
  stuck_processing: ['dead_letter_stuck_events', 'Those of them that the last tick should have taken up.'],
  permanent_failure_ratio_24h: [
    'dead_letter_permanent_failure_ratio',
    'Share of what ended within 24 hours that failed permanently.',
  ],
  stale_settles_24h: ['dead_letter_stale_settles', 'Outcomes refused within 24 hours: the lease was lost.'],
  seconds_since_last_tick: ['dead_letter_last_tick_age_seconds', 'Since the last tick came to its end.'],
  last_tick_duration_seconds: ['dead_letter_last_tick_duration_seconds', 'How long the last tick took.'],
  longest_run_seconds_24h: ['dead_letter_longest_run_seconds', 'The longest run within 24 hours.'],
  groups_new_24h: ['dead_letter_new_error_groups', 'Error groups that began within 24 hours.'],
  database_connections: ['dead_letter_database_connections', 'Connections to the database server.'],
  database_max_connections: ['dead_letter_database_max_connections', 'How many it accepts.'],
  oldest_transaction_seconds: [
    'dead_letter_database_oldest_transaction_seconds',
    'For how long the oldest transaction has been open.',
  ],
};

/**
 * The measurement in Prometheus' text format, version 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
 */
export function formatMetrics(measured: Measurement): string {
  const types = boundTypes(measured.types);
  const figures = listFigures(measured);
  const families: Family[] = [
    ...Object.entries(counters).map(([name, [field, help]]) =>
      ofTypes({ name, type: 'counter', help }, types, field),
    ),
    ofTypes(
      { name: 'dead_letter_age_seconds', type: 'gauge', help: 'Age of the oldest open event.' },
      types,
      'age_seconds',
    ),
    {
      name: 'dead_letter_events',
      type: 'gauge',
      help: 'Events by status.',
      samples: types.flatMap((type) =>
        statuses.map((status) => ({
          labels: { event_type: type.event_type, status: status.toUpperCase() },
          value: type[status],
        })),
      ),
    },
    {
      name: 'dead_letter_breaker_state',
      type: 'gauge',
      help: 'Breakers of targets that ever failed: 0 closed, 1 half open, 2 open.',
      samples: measured.breakers.map(({ target, state }) => ({
        labels: { target },
        value: breakerStates[state],
      })),
    },
    {
      name: 'dead_letter_error_groups',
      type: 'gauge',
      help: 'Error groups by state.',
      samples: measured.groups.map(({ state, groups }) => ({ labels: { state }, value: groups })),
    },
    ...Object.entries(gauges).map(([field, [name, help]]): Family => {
      const value = figures[field];
      return { name, type: 'gauge', help, samples: value === undefined ? [] : [{ value }] };
    }),
  ];
  return families.map(formatFamily).join('');
}

function ofTypes(
  family: Omit<Family, 'samples'>,
  types: readonly TypeFigures[],
  field: Exclude<keyof TypeFigures, 'event_type'>,
): Family {
  const samples = types.map((type) => ({ labels: { event_type: type.event_type }, value: type[field] }));
  return { ...family, samples };
}

/** The rest together are `other`: their sums, and the age of the oldest. */
function boundTypes(types: readonly TypeFigures[]): readonly TypeFigures[] {
  const rest = types.slice(mostTypes);
  const other = rest.reduce<TypeFigures | undefined>((sum, type) => (sum ? add(sum, type) : type), undefined);
  return [...types.slice(0, mostTypes), ...(other ? [{ ...other, event_type: 'other' }] : [])];
}

function add(one: TypeFigures, two: TypeFigures): TypeFigures {
  const fields = Object.entries(one).map(([name, value]) => {
    const more = two[name as keyof TypeFigures];
    if (typeof value !== 'number' || typeof more !== 'number') return [name, value];
    return [name, name === 'age_seconds' ? Math.max(value, more) : value + more];
  });
  return Object.fromEntries(fields) as TypeFigures;
}

function formatFamily({ name, type, help, samples }: Family): string {
  if (samples.length === 0) return '';
  const lines = samples.map(({ labels = {}, value }) => `${name}${formatLabels(labels)} ${value}`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`;
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** An event type may be as long as its sender likes; and it may hold anything. */
function escapeLabel(value: string): string {
  return value
    .slice(0, 200)
    .toWellFormed()
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}
