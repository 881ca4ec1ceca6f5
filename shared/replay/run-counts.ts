import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { count, described, integerOrNull, listOf, text, textOrNull, time } from '../response-values.ts';

/** The throughput of a run: its settled events by time. */
export const ThroughputSchema = described(
  listOf(v.strictObject({ at: time, delivered: count, failed: count, skipped: count })),
  'Settled events by time: in periods of 5 s in its first 10 minutes, of a minute in its first 6 hours, and of an hour after that. Periods without any are left out.',
);

/** The answers of targets to the deliveries of a run, in groups. */
export const AnswersSchema = described(
  listOf(
    v.strictObject({
      outcome: v.picklist(['delivered', 'failed']),
      reason: described(textOrNull, 'The kind of the failure.'),
      responseStatus: integerOrNull,
      events: count,
      example: described(text, 'The id of one of these events.'),
      error: described(textOrNull, 'The error of one of these events.'),
    }),
  ),
  'The last 500 failed and the last 500 delivered events by the answer of their target, failures first.',
);

export type Throughput = v.InferOutput<typeof ThroughputSchema>;
export type Answers = v.InferOutput<typeof AnswersSchema>;

type Outcome = 'delivered' | 'failed' | 'skipped';

/** Settled events of one period, outcome and reason. */
export type RunCount = {
  readonly at: Date;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly events: number;
};

export const listRunCounts = statement<{ runId: string }, RunCount>('list-run-counts', import.meta.url);

const listGroups = statement<{ runId: string; max: number }, Answers[number]>(
  'list-run-answers',
  import.meta.url,
);

const maxAnswers = 500;

/** Groups the answers to the last deliveries of a run. */
export function listAnswers(db: Database, runId: string): Promise<Answers> {
  return listGroups(db, { runId, max: maxAnswers });
}

/** Adds up counts by time. */
export function toThroughput(counts: readonly RunCount[]): Throughput {
  const byTime = Map.groupBy(counts, ({ at }) => at.getTime());
  return [...byTime].map(([at, ofTime]) => {
    const sum = (outcome: Outcome) => sumUp(ofTime.filter((each) => each.outcome === outcome));
    return { at: new Date(at), delivered: sum('delivered'), failed: sum('failed'), skipped: sum('skipped') };
  });
}

/** The events of one outcome by reason, the most frequent reason first. */
export function sumByReason(counts: readonly RunCount[], outcome: Outcome) {
  const byReason = Map.groupBy(
    counts.filter((each) => each.outcome === outcome),
    ({ reason }) => reason,
  );
  return [...byReason]
    .map(([reason, ofReason]) => ({ reason, events: sumUp(ofReason) }))
    .sort((a, b) => b.events - a.events);
}

function sumUp(counts: readonly RunCount[]): number {
  return counts.reduce((sum, { events }) => sum + events, 0);
}
