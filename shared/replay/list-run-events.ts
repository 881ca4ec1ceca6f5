import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { Status } from '../message/event.ts';
import { described, text, textOrNull, timeOrNull } from '../response-values.ts';
import { type SkipReason, skipReasons } from './skip-reasons.ts';

export const outcomes = ['waiting', 'delivered', 'failed', 'skipped'] as const;

/** The progress of one event of a run. */
export const RunEventSchema = v.strictObject({
  id: text,
  eventType: described(textOrNull, 'Null, like the status, if the event was archived or deleted.'),
  status: v.nullable(Status),
  outcome: v.picklist(outcomes),
  inFlight: v.boolean(),
  settledAt: timeOrNull,
  reason: described(textOrNull, 'Why it failed or was skipped, as a code.'),
  explanation: described(textOrNull, 'The same as a sentence.'),
});

export type RunEventView = Readonly<v.InferOutput<typeof RunEventSchema>>;

/** `detail` explains why the event was skipped, and `error` why it failed. */
type Row = Omit<RunEventView, 'explanation'> & {
  readonly detail: string | null;
  readonly error: string | null;
};

const listRows = statement<{ runId: string; outcome: string | null; after: string; limit: number }, Row>(
  'list-run-events',
);

type EventPage = {
  readonly runId: string;
  readonly outcome?: RunEventView['outcome'] | undefined;
  /** The id of the last event of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/** Lists events of a run in order of capture; those of one outcome in the order of the run. */
export async function listRunEvents(
  { db }: { readonly db: Database },
  page: EventPage,
): Promise<RunEventView[]> {
  const { runId, outcome = null, after = '0', limit } = page;
  const rows = await listRows(db, { runId, outcome, after, limit });
  return rows.map(({ detail, error, ...event }) => {
    const skipped = detail ?? skipReasons[event.reason as SkipReason];
    const explanations = { failed: error, skipped, delivered: null, waiting: null };
    return { ...event, explanation: explanations[event.outcome] };
  });
}
