import * as v from 'valibot';
import { statement } from '../database/statement.ts';
import { type Breakers, findPause, type Pausable, readBreakers, turnOf } from '../delivery/breakers.ts';
import { type Cause, failureAt } from '../delivery/cause.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Origin } from '../message/event.ts';
import { described, text, textOrNull, timeOrNull } from '../response-values.ts';
import { describeCause, type FailingCause, listFailingCauses } from './causes.ts';
import { rulesOf } from './refusals.ts';

const sentences = {
  undecided: 'It has failed permanently: an operator replays or discards it.',
  'in-run': 'It has failed permanently, and waits in a replay.',
  leased: 'A worker is delivering it.',
  lost: 'Its worker has disappeared: the next tick recovers it.',
  'no-route': 'No route matches it.',
  held: 'Its target is held.',
  down: 'Its target is down.',
  paused: 'Its target takes no more for now.',
  cause: 'Its cause fails by itself.',
  blocked: 'An earlier event of its key goes first.',
  later: 'Its time has not come.',
  expired: 'It is older than the maxAge of its route: the next tick closes it.',
  'schedule-paused': 'The schedule is paused.',
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
      until: described(timeOrNull, 'When it is due, probed, or no longer held; past: with the next tick.'),
    }),
  ),
  'Why the schedule does not send it now; null if it is due, or closed.',
);

export type WhyNotNow = Readonly<v.InferOutput<typeof WhyNotNowSchema>>;

type Found = {
  readonly id: string;
  readonly reason: Reason | null;
  readonly blockedBy: string | null;
  readonly runId: string | null;
  readonly dueAt: Date | null;
  readonly cause: Cause | null;
};

const readWhy = statement<{ events: readonly object[] }, Found>('why-not-now');

/** The first event of a key, with the number of open events behind it, up to 10,001. */
export type Blocker = Origin & Readonly<{ id: string; key: string | null; events: number }>;

/** Events that nothing waits for have no row. */
export const countBehind = statement<{ ids: readonly string[] }, Blocker>('count-behind');

type Deps = Pausable & { readonly routes: readonly Route[] };
type Listed = Origin & { readonly id: string };

/** Finds why the schedule does not send an event, by the definition that a tick picks by. */
export async function whyNotNow(deps: Deps, event: Listed): Promise<WhyNotNow> {
  return (await listWhyNotNow(deps, [event])).get(event.id) ?? null;
}

/** The same for a list, by the ids of its events: those that are due, or closed, have none. */
export async function listWhyNotNow(
  deps: Deps,
  events: readonly Listed[],
): Promise<ReadonlyMap<string, NonNullable<WhyNotNow>>> {
  if (events.length === 0) return new Map();
  const { db, routes } = deps;
  const routed = new Map(events.map((event) => [event.id, findRoute(routes, event)]));
  const wanted = [...routed].map(([id, route]) => {
    return { id, rules: route ? rulesOf(route.policy) : null, isOrdered: route?.ordered === true };
  });
  const [found, breakers, pause] = await Promise.all([
    readWhy(db, { events: wanted }),
    readBreakers(db),
    findPause(deps),
  ]);
  const isTried = found.some(({ reason, cause }) => (reason ?? 'later') === 'later' && cause !== null);
  const causes = new Map(
    (isTried ? await listFailingCauses(db, routes) : []).map((each) => [each.cause, each]),
  );
  return new Map(
    found.flatMap((each) => {
      const why = pauseWith(pause, explainWait(each, routed.get(each.id), { breakers, causes }));
      return why ? [[each.id, why]] : [];
    }),
  );
}

/** What a paused schedule would send or probe at its time, it does not before it goes on. */
function pauseWith(pause: Awaited<ReturnType<typeof findPause>>, why: WhyNotNow): WhyNotNow {
  if (!pause || (why && why.reason !== 'cause' && !why.until)) return why;
  if (why?.until && pause.heldUntil && why.until > pause.heldUntil) return why;
  if (why?.reason === 'down' || why?.reason === 'paused') return { ...why, until: null };
  const says = `The schedule is paused. ${pause.heldBy}: ${pause.heldReason}`;
  return { runId: null, ...why, reason: 'schedule-paused', says, blockedBy: null, until: pause.heldUntil };
}

type Known = { readonly breakers: Breakers; readonly causes: ReadonlyMap<Cause, FailingCause> };

function explainWait(found: Found, route: Route | undefined, { breakers, causes }: Known): WhyNotNow {
  const { reason, runId, dueAt } = found;
  const why = (of: Reason, until: Date | null = null, says: string = sentences[of]) => {
    return { reason: of, says, blockedBy: of === 'blocked' ? found.blockedBy : null, runId, until };
  };
  if (reason === 'undecided' || reason === 'in-run' || reason === 'leased' || reason === 'lost')
    return why(reason);
  if (!route) return why('no-route');
  const name = nameTarget(route.target);
  const target = turnOf(breakers.get(name));
  if (target.state === 'held') return why('held', target.until, `Its target is held. ${target.because}`);
  if (target.state === 'down' || target.state === 'paused') return why(target.state, target.until);
  if (target.state === 'probe' && reason === null) return why('down', target.until);
  if (reason === 'later' && !dueAt) return why(reason, null, 'It has no time: snooze, replay or discard it.');
  const failing = findCause(found, name, causes);
  if (failing) return why('cause', failing.nextSampleAt, describeCause(failing));
  return reason === null ? null : why(reason, reason === 'later' ? dueAt : null);
}

/** The cause that an event waits for: once its time has come, or before that for a sample after it. */
function findCause({ reason, dueAt, cause }: Found, target: string, causes: Known['causes']) {
  const failing = causes.get(failureAt(target, cause) ?? '');
  const isLater = reason === 'later' && Number(failing?.nextSampleAt) > Number(dueAt);
  return isLater || reason === null ? failing : undefined;
}
