/** A number that a log line of the functions carries, under `jsonPayload`, and Cloud Monitoring keeps. */
export type Figure = {
  readonly field: string;
  readonly title: string;
  readonly unit: string;
  readonly description: string;
};

/**
 * The one contract between what `maintain` says and what is watched: it logs a line with `act: "metrics"` and all of
 * these fields, each a number, whenever it is asked for its metrics.
 */
export const figures = [
  {
    field: 'depth_pending',
    title: 'Pending events',
    unit: '1',
    description: 'Events in PENDING.',
  },
  {
    field: 'oldest_pending_seconds',
    title: 'Age of the oldest pending event',
    unit: 's',
    description: 'Seconds since the oldest event in PENDING was captured; 0 where there is none.',
  },
  {
    field: 'failed_permanently_24h',
    title: 'Failed permanently within a day',
    unit: '1',
    description: 'Events that became FAILED_PERMANENTLY in the last 24 hours.',
  },
  {
    field: 'stuck_processing',
    title: 'Stuck in processing',
    unit: '1',
    description:
      'Events in PROCESSING whose lease ran out before the last tick began: it should have taken them.',
  },
  {
    field: 'captured_1h',
    title: 'Captured within an hour',
    unit: '1',
    description: 'Events captured in the last hour.',
  },
  {
    field: 'succeeded_1h',
    title: 'Delivered within an hour',
    unit: '1',
    description: 'Events that became SUCCEEDED in the last hour.',
  },
  {
    field: 'unrouted_open',
    title: 'Open events without a route',
    unit: '1',
    description: 'Open events that no route matches.',
  },
  {
    field: 'breakers_open',
    title: 'Targets whose breaker is open',
    unit: '1',
    description: 'Targets to which nothing is delivered for now.',
  },
] as const satisfies readonly Figure[];

export type FigureField = (typeof figures)[number]['field'];

/** The log line that all figures are read from. */
export const figuresAct = 'metrics';

/** The log line that a tick ends with, unless it left the work to another one. */
export const tickAct = 'tick';
export const leftToAnother = 'another tick is running';
