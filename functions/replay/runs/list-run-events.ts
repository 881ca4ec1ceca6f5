import type { Database } from '../../../shared/database.ts';
import type { Status } from '../../../shared/events.ts';
import { statement } from '../../../shared/sql.ts';
import { type SkipReason, skipReasons } from './skip-reasons.ts';

export const outcomes = ['waiting', 'delivered', 'failed', 'skipped'] as const;
export const verdicts = ['delivered', 'came-back', 'quiet'] as const;

type Row = {
  readonly id: string;
  readonly event_type: string | null;
  readonly status: Status | null;
  readonly outcome: (typeof outcomes)[number];
  readonly reason: string | null;
  readonly detail: string | null;
  readonly sent_digest: string | null;
  readonly error: string | null;
  readonly settled_at: Date | null;
  readonly is_in_flight: boolean;
  readonly verdict: (typeof verdicts)[number] | null;
};

const listRows = statement<
  { runId: string; outcome: string | null; verdict: string | null; after: string; limit: number },
  Row
>('list-run-events');

/** What became of one event of a run. */
export type RunEventView = {
  readonly id: string;
  /** Null where the event is not there any more, as is its status. */
  readonly eventType: string | null;
  readonly status: Status | null;
  readonly outcome: Row['outcome'];
  readonly inFlight: boolean;
  readonly settledAt: Date | null;
  /** Why it failed or was skipped, in a word and in a sentence. */
  readonly reason: string | null;
  readonly explanation: string | null;
  /** Of a delivered event: whether it was seen again. */
  readonly verdict: Row['verdict'];
  /** SHA-256 of an edited body that was sent. */
  readonly sentDigest: string | null;
};

export type EventPage = {
  readonly runId: string;
  readonly outcome?: Row['outcome'] | undefined;
  readonly verdict?: NonNullable<Row['verdict']> | undefined;
  /** The id after which the page begins. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/** Events of a run in order of capture, those of one outcome or verdict if asked. */
export async function listRunEvents(db: Database, page: EventPage): Promise<RunEventView[]> {
  const { runId, outcome = null, verdict = null, after = '0', limit } = page;
  const rows = await listRows(db, { runId, outcome, verdict, after, limit });
  return rows.map((row) => ({
    id: row.id,
    eventType: row.event_type,
    status: row.status,
    outcome: row.outcome,
    inFlight: row.is_in_flight,
    settledAt: row.settled_at,
    reason: row.reason,
    explanation: explain(row),
    verdict: row.verdict,
    sentDigest: row.sent_digest,
  }));
}

function explain({ outcome, reason, detail, error }: Row): string | null {
  if (outcome === 'failed') return error;
  return outcome === 'skipped' ? (detail ?? skipReasons[reason as SkipReason]) : null;
}
