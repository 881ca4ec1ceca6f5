import { acceptedBy, causeOf, isRefusal, refusedBy } from './cause.ts';
import type { Flight, Whose } from './flights.ts';
import type { Knowledge, Sent } from './settlement.ts';
import { longLimit } from './target-health.ts';
import { isCutOff, judge, type Meaning, meaningOf, type Outcome } from './targets/outcome.ts';
import { concurrencyOf, type Work } from './work-state.ts';

/**
 * Learns from the outcome of a delivery about its target, its route and its event. Returns what it shows of
 * the event; undefined if it shows nothing.
 */
export async function learn(work: Work, sent: Sent, flight: Flight): Promise<Knowledge | undefined> {
  if (showsNothing(sent)) return undefined;
  const meaning = meaningOf(sent.outcome);
  const whose = meaning === 'limit' ? await whoseLimit(work, sent, flight) : undefined;
  const known = knowledgeOf(sent, whose === 'event' ? 'event' : meaning);
  // Another event soon shows whether its target takes none.
  const outcome = whose === 'unclear' ? { ...sent.outcome, retryAfterSeconds: 0 } : sent.outcome;
  observe(work, { ...sent, outcome }, known);
  return { ...known, isAlike: isRefusedAlike(work, sent, known) };
}

/** As in a process that is stopped, or that stood still until its delivery had long timed out. */
function showsNothing({ leased, outcome, startedAt }: Sent): boolean {
  const endsAt = startedAt.getTime() + leased.route.policy.timeoutSeconds * 1000 + maxLateMs;
  return outcome === cutOff || outcome.isRefused === true || Date.now() > endsAt;
}

/**
 * A long limit is that of this event, such as of its tenant, if it was refused before while others were
 * accepted, or if others that were sent after it are. All others at its target would wait for it.
 */
async function whoseLimit(work: Work, { leased, outcome }: Sent, flight: Flight): Promise<Whose> {
  const { health, picker, waiting } = work;
  const { target, cause } = leased;
  const { error = '', retryAfterSeconds = 0 } = outcome;
  if (cause === causeOf(target, error)) return 'event';
  if (retryAfterSeconds <= longLimit) return 'target';
  if (isRefusal(cause) && health.of(target).acceptedKinds.size > 0) return 'event';
  const whose = await flight.whoseLimit(retryAfterSeconds);
  const others = [...waiting.keys(), ...[...picker.groups.values()].filter(({ ids }) => ids.length > 0)];
  return whose === 'unclear' && !others.some((other) => other.target === target) ? 'target' : whose;
}

function knowledgeOf({ leased: { target }, outcome }: Sent, meaning: Meaning): Knowledge {
  if (meaning === 'accepted') return { meaning, cause: acceptedBy(target) };
  if (meaning === 'limit') return { meaning, cause: refusedBy(target) };
  // A connection that ended without an answer may be the work of this event: samples send it again.
  const isOfEvent = meaning === 'event' || isCutOff(outcome);
  return { meaning, cause: isOfEvent ? causeOf(target, outcome.error ?? '') : null };
}

function observe(work: Work, { leased, outcome }: Sent, { meaning, cause }: Knowledge): void {
  const { route, target, kind } = leased;
  if (meaning === 'accepted') work.sizes.record(target, performance.now());
  const isOfEvent = meaning !== 'accepted' && meaning !== 'limit';
  work.health.record({ leased, outcome, meaning, cause: isOfEvent ? cause : null });
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
