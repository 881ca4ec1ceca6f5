import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Origin } from '../events/event.ts';
import { findMask, listMasks, type MaskRules } from '../events/masking/mask-rules.ts';
import { described, Status, text, textOrNull, timeOrNull } from '../events/response-values.ts';
import { type SkipReason, skipReasons } from './skip-reasons.ts';

export const outcomes = ['waiting', 'delivered', 'failed', 'skipped'] as const;
/** The last delivered events of a run that are looked at for recurrences. */
export const maxJudged = 5000;

export const verdicts = ['delivered', 'recurred', 'recovered'] as const;

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
  verdict: described(v.nullable(v.picklist(verdicts)), 'Whether a delivered event was captured again.'),
  sentDigest: described(
    textOrNull,
    'SHA-256 of the body, if an edited one was sent; null if its route masks values of payloads.',
  ),
});

export type RunEventView = Readonly<v.InferOutput<typeof RunEventSchema>>;

type Nullable<Fields> = { readonly [Field in keyof Fields]: Fields[Field] | null };

/** `detail` explains why the event was skipped, and `error` why it failed. */
type Row = Omit<RunEventView, 'explanation'> &
  Nullable<Omit<Origin, 'eventType'>> & {
    readonly detail: string | null;
    readonly error: string | null;
  };

const listRows = statement<
  {
    runId: string;
    outcome: string | null;
    verdict: string | null;
    after: string;
    limit: number;
    maxJudged: number;
  },
  Row & { readonly position: number }
>('list-run-events', import.meta.url);

type EventPage = {
  readonly runId: string;
  readonly outcome?: RunEventView['outcome'] | undefined;
  readonly verdict?: RunEventView['verdict'] | undefined;
  /** The id of the last event of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/**
 * Lists events of a run in order of capture; those of one outcome, or of one verdict among the last delivered
 * ones, in the order of the run.
 */
export async function listRunEvents(
  { db, ...rules }: { readonly db: Database } & MaskRules,
  page: EventPage,
): Promise<RunEventView[]> {
  const { runId, outcome = null, verdict = null, after = '0', limit } = page;
  const rows = await listRows(db, { runId, outcome, verdict, after, limit, maxJudged });
  return rows.map(({ detail, error, position: _, sourceKind, sourceTopic, consumerGroup, ...event }) => {
    const skipped = detail ?? skipReasons[event.reason as SkipReason];
    const explanations = { failed: error, skipped, delivered: null, waiting: null };
    const origin = { eventType: event.eventType, sourceKind, sourceTopic, consumerGroup };
    const sentDigest = isMasked(rules, origin) ? null : event.sentDigest;
    return { ...event, sentDigest, explanation: explanations[event.outcome] };
  });
}

/** Whether a payload has masked values, which could be found by computing the digest of each guess. */
function isMasked(rules: MaskRules, { eventType, sourceKind, ...more }: Nullable<Origin>): boolean {
  const isKnown = eventType !== null && sourceKind !== null;
  // The event was archived or deleted: any route may have been its own.
  const paths = isKnown ? findMask(rules, { eventType, sourceKind, ...more }) : listMasks(rules);
  return paths.some((path) => path.startsWith('$'));
}
