import * as v from 'valibot';
import { atLeast, countOf } from '../count-of.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { breakerTerms } from '../delivery/breaker-terms.ts';
import type { Route } from '../delivery/routes.ts';
import { count, described, text, textOrNull, time, timeOrNull } from '../response-values.ts';
import { countLanes, type Lane, type LaneCount, listLanes, routeLane, sumCounts } from './lanes.ts';

export const CauseSchema = v.strictObject({
  cause: described(text, 'Target and answer, as `dlq_events.cause`.'),
  answer: described(textOrNull, 'What its target answered.'),
  waiting: described(count, 'The events that wait for it, up to 10,000 of each kind of events.'),
  isWaitingExact: described(v.boolean(), 'False if more events wait for it.'),
  since: described(time, 'When it was first seen to fail.'),
  sampledAt: described(time, 'When a sample of it was sent last.'),
  nextSampleAt: described(timeOrNull, 'When a tick may send the next one.'),
  samples: described(count, 'How many a tick sends then at once.'),
});

export type FailingCause = Readonly<v.InferOutput<typeof CauseSchema>>;

export type OpenCause = Omit<FailingCause, 'waiting' | 'isWaitingExact'> & { readonly target: string };

/** Their number is bounded for each target. */
export const listCauses = statement<Record<string, never>, OpenCause>('list-causes', breakerTerms);

/** Lists the causes that fail by themselves, with the events that wait for them. */
export async function listFailingCauses(db: Database, routes: readonly Route[]) {
  const open = await listCauses(db, {});
  if (open.length === 0) return [];
  const known = new Set(open.map(({ cause }) => cause));
  const lanes = (await listLanes(db)).map((lane) => routeLane(routes, lane));
  const failing = lanes.filter(({ cause }) => cause !== null && known.has(cause));
  return sumCauses(open, await countLanes(db, failing));
}

/** Causes without a waiting event are omitted. */
export function sumCauses(open: readonly OpenCause[], lanes: readonly (Lane & LaneCount)[]) {
  const byCause = Map.groupBy(lanes, ({ cause }) => cause);
  return open.flatMap((each) => {
    const { events: waiting, isExact: isWaitingExact } = sumCounts(byCause.get(each.cause) ?? []);
    return waiting === 0 ? [] : [{ ...each, waiting, isWaitingExact }];
  });
}

/** Says why an event of a cause waits, and what helps. */
export function describeCause({ waiting, isWaitingExact, answer }: FailingCause): string {
  const events = atLeast(countOf(waiting, 'event waits', 'events wait'), isWaitingExact);
  const said = answer === null ? '' : ` (${answer})`;
  return `Its cause fails by itself${said}: ${events}. Mend the consumer, edit one, replay now, or discard.`;
}
