import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Origin } from '../events/event.ts';
import { described, text, textOrNull, timeOrNull } from '../events/response-values.ts';
import { judgeTarget } from './backlogs.ts';
import { rulesOf } from './refusals.ts';

const sentences = {
  undecided: 'It has failed permanently: an operator replays or discards it.',
  'in-run': 'It has failed permanently, and waits in a replay.',
  leased: 'A worker is delivering it.',
  'no-route': 'No route matches it.',
  held: 'Its target is held.',
  down: 'Its target is down.',
  blocked: 'An earlier event of its key goes first.',
  later: 'Its time has not come.',
  expired: 'It is older than the maxAge of its route: the next tick closes it.',
  permanent: 'Its route takes its error class for permanent: the next tick closes it.',
} as const;

type Reason = keyof typeof sentences;

export const WhyNotNowSchema = described(
  v.nullable(
    v.strictObject({
      reason: v.picklist(Object.keys(sentences) as Reason[]),
      says: text,
      blockedBy: described(textOrNull, 'The event that goes first.'),
      runId: described(textOrNull, 'The open replay that has selected it.'),
      until: described(timeOrNull, 'When it is due, or its target is probed.'),
    }),
  ),
  'Why the schedule does not send it now; null if it is due, or closed.',
);

export type WhyNotNow = Readonly<v.InferOutput<typeof WhyNotNowSchema>>;

const readWhy = statement<
  { id: string; rules: string | null; isOrdered: boolean },
  {
    readonly reason: Reason | null;
    readonly blockedBy: string | null;
    readonly runId: string | null;
    readonly dueAt: Date | null;
  }
>('why-not-now', import.meta.url);

type Deps = { readonly db: Database; readonly routes: readonly Route[] };

/** Finds out why the schedule does not send an event now, by the definition that a tick picks by. */
export async function whyNotNow(
  { db, routes }: Deps,
  event: Origin & { readonly id: string },
): Promise<WhyNotNow> {
  const route = findRoute(routes, event);
  const rules = route ? rulesOf(route.policy) : null;
  const [found] = await readWhy(db, { id: event.id, rules, isOrdered: route?.ordered === true });
  if (!found) return null;
  const { reason, blockedBy, runId, dueAt } = found;
  const why = (of: Reason, until: Date | null = null, says: string = sentences[of]) => ({
    reason: of,
    says,
    blockedBy: of === 'blocked' ? blockedBy : null,
    runId,
    until,
  });
  if (reason === 'undecided' || reason === 'in-run' || reason === 'leased') return why(reason);
  if (!route) return why('no-route');
  const target = await judgeTarget(db, nameTarget(route.target));
  if (target.state === 'held') return why('held', null, `Its target is held. ${target.because}`);
  if (target.state === 'down') return why('down', target.until);
  return reason === null ? null : why(reason, reason === 'later' ? dueAt : null);
}
