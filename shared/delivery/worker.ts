import { statement } from '../database/statement.ts';
import { waitFor } from './changes.ts';
import { deal, remove, shuffle } from './deal.ts';
import { deliverLeased, deliverSuspect, releaseWaiting } from './deliver.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import { lease } from './lease.ts';
import { giveBack, takeLimits } from './limits.ts';
import { limitLease } from './own-limits.ts';
import { findGroups } from './pick.ts';
import type { Look, Stop } from './picker.ts';
import { openRates } from './rates.ts';
import { addRecovered, type Recovered, recoverInTime } from './recover.ts';
import { listTargetNames } from './routes.ts';
import { type Assignment, isEmpty, openWork, type Work } from './work-state.ts';
import { tryRequestWorker } from './worker-requests.ts';

const extendStop = statement<{ targets: readonly string[] }, never>('extend-stop');

/**
 * Works on a run in five steps, over one state: pick, lease, deliver, settle, recover; and leaves its slot.
 * The next events are leased while earlier ones are still delivered and settled. A worker whose time is
 * spent, or whose process ends, requests another one. A worker that throws leaves its run open for other
 * workers and the next tick. `isHandedOver`: another worker was requested to continue the run. Throws
 * DatabaseUnavailableError.
 */
export async function work(
  deps: DeliveryDeps,
  // Without `recovered` it begins with a recovery.
  { recovered, ...assignment }: Assignment & { readonly recovered?: readonly Recovered[] | undefined },
) {
  const { held } = assignment;
  const state = openWork(deps, assignment);
  if (recovered) addRecovered(state, recovered);
  try {
    await extendStop(deps.db, { targets: listTargetNames(deps.routes) });
    await openRates(deps, state.picker.rates ?? []);
    const stopped = await workUntilDone(state).finally(() => finish(state));
    await held?.leave();
    const isCutShort = stopped === 'time budget spent' || stopped === 'shutdown';
    const isHandedOver = isCutShort && deps.retry.continueTopic !== undefined;
    if (isHandedOver) requestWorker(state);
    return { stopped, tallies: state.tallies, isHandedOver };
  } catch (error) {
    // A slot that cannot be left expires by itself within seconds.
    await held?.leave().catch(() => {});
    throw error;
  } finally {
    await Promise.all(state.requests);
  }
}

async function workUntilDone(state: Work): Promise<Stop> {
  const stopping = state.deps.shutdown?.stopping;
  const onStop = () => releaseWaiting(state);
  stopping?.addEventListener('abort', onStop);
  try {
    for (;;) {
      throwFirstError(state);
      const isOver = stopOf(state);
      if (isOver) return isOver;
      const change = state.changes.next();
      const { stopped, waitMs } = await pickAndLease(state);
      if (stopped !== undefined) return stopped;
      deliverSuspect(state);
      const longest = Math.max(0, Math.min(maxWaitMs, state.endsAt - Date.now()));
      if (waitMs !== 0) await waitFor(change, Math.min(waitMs ?? maxWaitMs, longest));
    }
  } finally {
    stopping?.removeEventListener('abort', onStop);
  }
}

function stopOf({ held, deps, endsAt }: Work): Stop | undefined {
  if (held?.isLost()) return 'slot lost';
  if (deps.shutdown?.stopping.aborted) return 'shutdown';
  return Date.now() >= endsAt ? 'time budget spent' : undefined;
}

async function pickAndLease(state: Work): Promise<Look> {
  await recoverInTime(state);
  const found = await findGroups(state);
  const { groups, pass } = found;
  if (!groups || !pass) return found;
  const limits = limitLease(state, groups);
  const wanted = deal(groups, limits);
  const granted = await takeLimits(state, wanted);
  for (const { target, isOpen } of granted.turns) if (isOpen) state.health.of(target).isInDoubt = true;
  // Any event may find out whether a target answers, and not the one that has waited longest.
  for (const { target, ids } of groups) if (state.health.of(target).isInDoubt) shuffle(ids);
  const { all, parts } = granted;
  const dealt = deal(groups, { ...limits, all, parts: new Map([...limits.parts, ...parts]) });
  const leased = await lease(state, dealt, pass.terms);
  remove(dealt);
  const leasedIds = new Set(leased.map(({ event }) => event.id));
  const used = dealt.filter(({ id }) => leasedIds.has(id));
  await giveBack(state, granted, used);
  pass.gained += leased.length;
  pass.missed += dealt.length - leased.length;
  deliverLeased(state, leased);
  if (leased.length * 2 > limits.all) requestHelp(state);
  return { waitMs: dealt.length > 0 || groups.some(({ closed }) => closed) ? 0 : granted.waitMs };
}

/** Only the first worker of a run requests helpers: otherwise every worker would request the same ones. */
function requestHelp(state: Work): void {
  const { held, deps, tallies, requests } = state;
  const isFirst = held?.number === 1 && tallies.all.delivered > 0;
  if (isFirst && requests.length < deps.retry.workers - 1) requestWorker(state);
}

function requestWorker({ runId, deps, requests }: Work): void {
  if (runId !== null) requests.push(tryRequestWorker(deps.retry.continueTopic, runId));
}

/** Waits for all leased events. Throws the error of a settlement that failed. */
export async function finish(state: Work): Promise<void> {
  while (!isEmpty(state)) {
    deliverSuspect(state);
    const change = state.changes.next();
    if (!isEmpty(state)) await waitFor(change, maxWaitMs);
  }
  throwFirstError(state);
}

function throwFirstError({ errors }: Work): void {
  if (errors.length > 0) throw errors[0];
}

/** In ms: events may become due, and another tick may extend the run to them. */
const maxWaitMs = 2000;
