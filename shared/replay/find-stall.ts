import * as v from 'valibot';
import { countOf } from '../count-of.ts';
import { statement } from '../database/statement.ts';
import { readBreakers } from '../delivery/breakers.ts';
import type { Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Origin } from '../message/event.ts';
import { described, text, time } from '../response-values.ts';
import type { ReplayDeps } from './replay-deps.ts';
import { isScheduled, type Run, routeIn } from './run.ts';

/** Seconds without a settled event after which a running replay counts as stalled. */
const maxIdleSeconds = 30;

export const StallSchema = described(
  v.nullable(v.strictObject({ since: time, because: text })),
  `Since when and why a running replay has settled no event; null while it makes progress, at least every ${maxIdleSeconds} s.`,
);

export type Stall = v.InferOutput<typeof StallSchema>;

/** Finds out whether a running replay makes progress; null if it does. */
export async function findStall(
  deps: Pick<ReplayDeps, 'db' | 'routes'>,
  run: Run,
  now: Date,
): Promise<Stall> {
  const { db } = deps;
  const since = new Date(Math.max(run.stageBeganAt.getTime(), run.progressedAt?.getTime() ?? 0));
  if (
    run.endedAt ||
    run.pausedBecause ||
    isScheduled(run, now) ||
    now.getTime() - since.getTime() < maxIdleSeconds * 1000
  )
    return null;
  const { inFlight, rollout } = run;
  if (inFlight > 0) {
    const deliveries = countOf(inFlight, 'delivery has', 'deliveries have');
    const because = `${deliveries} begun and got no answer yet. Those of a lost worker are released when their lease ends.`;
    return { since, because };
  }
  const routes = await listRoutes(deps, run);
  if (routes.length === 0) return { since, because: 'No route matches its events: configure one.' };
  const targets = new Set(routes.map(({ target }) => nameTarget(target)));
  const breakers = [...(await readBreakers(db)).values()].filter(({ target }) => targets.has(target));
  const held = rollout.toHeldTargets ? undefined : breakers.find(({ heldAt }) => heldAt !== null);
  if (held) return { since, because: `${held.heldBy} holds ${held.target}: ${held.heldReason}.` };
  const down = rollout.waitForTarget ? breakers.find(({ state }) => state !== 'CLOSED') : undefined;
  if (down) return { since, because: `${down.target} is down: the replay waits until it is back.` };
  const { ratePerSecond } = rollout;
  if (ratePerSecond !== undefined && ratePerSecond * maxIdleSeconds < 1) {
    return { since, because: `Its rate is one delivery in ${Math.round(1 / ratePerSecond)} s.` };
  }
  return { since, because: 'No worker is delivering its events. The next tick continues it.' };
}

const listWaiting = statement<{ runId: string; max: number }, Origin>('list-waiting');

/** Waiting events whose routes explain why none of them goes. */
const maxJudged = 100;

async function listRoutes({ db, routes }: Pick<ReplayDeps, 'db' | 'routes'>, run: Run): Promise<Route[]> {
  const waiting = await listWaiting(db, { runId: run.id, max: maxJudged });
  return [...new Set(waiting.flatMap((origin) => routeIn({ routes }, run, origin) ?? []))];
}
