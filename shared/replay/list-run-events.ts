import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Status } from '../events/event.ts';
import { type SkipReason, skipReasons } from './skip-reasons.ts';

export const outcomes = ['waiting', 'delivered', 'failed', 'skipped'] as const;
export const verdicts = ['delivered', 'recurred', 'quiet'] as const;

type Row = {
  readonly id: string;
  readonly eventType: string | null;
  readonly status: Status | null;
  readonly outcome: (typeof outcomes)[number];
  readonly reason: string | null;
  readonly detail: string | null;
  readonly sentDigest: string | null;
  readonly error: string | null;
  readonly settledAt: Date | null;
  readonly isInFlight: boolean;
  readonly verdict: (typeof verdicts)[number] | null;
};

const listRows = statement<
  { runId: string; outcome: string | null; verdict: string | null; after: string; limit: number },
  Row
>('list-run-events', import.meta.url);

/** The progress of one event of a run. */
export type RunEventView = {
  readonly id: string;
  /** Null if the event no longer exists, as is its status. */
  readonly eventType: string | null;
  readonly status: Status | null;
  readonly outcome: Row['outcome'];
  readonly inFlight: boolean;
  readonly settledAt: Date | null;
  /** Why it failed or was skipped: a code, and a sentence. */
  readonly reason: string | null;
  readonly explanation: string | null;
  /** Whether a delivered event recurred. */
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

/** Lists events of a run in order of capture, optionally of one outcome or verdict. */
export async function listRunEvents(db: Database, page: EventPage): Promise<RunEventView[]> {
  const { runId, outcome = null, verdict = null, after = '0', limit } = page;
  const rows = await listRows(db, { runId, outcome, verdict, after, limit });
  return rows.map((row) => ({
    id: row.id,
    eventType: row.eventType,
    status: row.status,
    outcome: row.outcome,
    inFlight: row.isInFlight,
    settledAt: row.settledAt,
    reason: row.reason,
    explanation: explain(row),
    verdict: row.verdict,
    sentDigest: row.sentDigest,
  }));
}

function explain({ outcome, reason, detail, error }: Row): string | null {
  if (outcome === 'failed') return error;
  return outcome === 'skipped' ? (detail ?? skipReasons[reason as SkipReason]) : null;
}
