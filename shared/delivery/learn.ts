import { acceptedBy, causeOf, isRefusal, refusedBy } from './cause.ts';
import type { Flight } from './flights.ts';
import type { Knowledge, Sent } from './settlement.ts';
import { isCutOff, judge, type Meaning, meaningOf, type Outcome } from './targets/outcome.ts';
import { nameTarget } from './targets/target-kinds.ts';
import { concurrencyOf, type Work } from './work-state.ts';

/**
 * Learns from the outcome of a delivery about its target, its route and its event. Returns what it shows of
 * the event; undefined if it shows nothing.
 */
export async function learn(work: Work, sent: Sent, flight: Flight): Promise<Knowledge | undefined> {
  if (showsNothing(sent)) return undefined;
  const meaning = meaningOf(sent.outcome);
  const isOwn = meaning === 'limit' && (await isOwnLimit(work, sent, flight));
  const known = knowledgeOf(sent, isOwn ? 'event' : meaning);
  observe(work, sent, known);
  return { ...known, isAlike: isRefusedAlike(work, sent, known) };
}

/** As in a process that is stopped, or that stood still until its delivery had long timed out. */
function showsNothing({ leased, outcome, startedAt }: Sent): boolean {
  const endsAt = startedAt.getTime() + leased.route.policy.timeoutSeconds * 1000 + maxLateMs;
  return outcome === cutOff || outcome.isRefused === true || Date.now() > endsAt;
}

/** In seconds: a tick has the time to obey a shorter one, whatever it is about. */
const longLimit = 60;

/**
 * Whether a long limit is that of this event, such as of its tenant: it was refused before while others were
 * accepted, or one that was sent after it is. All others at its target would wait for it.
 */
async function isOwnLimit(work: Work, { leased, outcome }: Sent, flight: Flight): Promise<boolean> {
  const target = nameTarget(leased.route.target);
  if (leased.cause === causeOf(target, outcome.error ?? '')) return true;
  if ((outcome.retryAfterSeconds ?? 0) <= longLimit) return false;
  return (isRefusal(leased.cause) && work.health.of(target).acceptedKinds.size > 0) || flight.isPassed();
}

function knowledgeOf({ leased, outcome }: Sent, meaning: Meaning): Knowledge {
  const target = nameTarget(leased.route.target);
  if (meaning === 'accepted') return { meaning, cause: acceptedBy(target) };
  if (meaning === 'limit') return { meaning, cause: refusedBy(target) };
  // A connection that ended without an answer may be the work of this event: samples send it again.
  const isOfEvent = meaning === 'event' || isCutOff(outcome);
  return { meaning, cause: isOfEvent ? causeOf(target, outcome.error ?? '') : null };
}

function observe(work: Work, { leased, outcome }: Sent, { meaning, cause }: Knowledge): void {
  const { route, kind } = leased;
  const target = nameTarget(route.target);
  if (meaning === 'accepted') work.sizes.record(target, performance.now());
  work.health.record({
    target,
    policy: route.policy.breaker,
    meaning,
    before: leased.cause,
    cause: meaning === 'accepted' || meaning === 'limit' ? null : cause,
    kind,
    claimedAt: leased.leasedAt,
    answer: outcome.error ?? null,
    retryAfterSeconds: outcome.retryAfterSeconds,
  });
  if (meaning !== 'target')
    concurrencyOf(work, route).learn(kind, outcome.reasonCodes?.includes('timeout') === true);
}

/** Some dozen refusals alike are about a deployment: the later ones wait with their cause. */
function isRefusedAlike({ health }: Work, { leased, outcome }: Sent, { meaning, cause }: Knowledge): boolean {
  if (meaning !== 'event' || outcome.kind !== 'permanent' || cause === null) return false;
  return leased.before.status === 'PENDING' && (leased.cause === cause || health.causes.isShared(cause));
}

const maxLateMs = 1000;

/** The outcome of a delivery that a shutdown has cut off. */
export const cutOff: Outcome = {
  ...judge(['unanswered']),
  error: 'The worker was stopped before the target answered.',
};
