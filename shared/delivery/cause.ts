import { hash } from 'node:crypto';
import { fingerprintReason } from '../fingerprint/fingerprint.ts';

/** 63 bits as text: the target in the upper half, the fingerprint of its answer in the lower one. */
export type Cause = string;

/** The part of a breaker's key that stands for the target itself. */
export const ofTarget: Cause = '0';
/** Of a hold that is of no target: the name says of what. */
export const ofNone: Cause = '-1';

/** The largest number of breakers that one target has. Causes that meet share one. */
const maxCauses = 1000n;

/** How many probes an open breaker gives after its cooldown: more than one after a quiet time. */
export const probesAtOnce = `greatest(probes, least(case cause when 0 then 3 else 5 end,
  1 + extract(epoch from now() - updated_at)::int / 900))`;

/** The longest cooldown that a breaker can have now, and how long it waits for the answers to its probes. */
export const probeWait = '2 * make_interval(secs => greatest(breaker.cooldown_seconds, 15))';

/** Whether an open breaker gives probes. A time further ahead than it could be set now has passed. */
export const isCool = `(probe_after not between now() + interval '1 microsecond' and now() + ${probeWait})`;

/** After a step back of the clock a pause and a pace have passed. */
const isOfNow = `breaker.updated_at < now() + interval '5 seconds'`;

/** Whether a target that said "too many" gets nothing. */
export const isPaused = `coalesce(${isOfNow} and paused_until > now()
  and paused_until <= now() + interval '1 day', false)`;

/** For an hour after its pause, or after the first delivery that followed an outage or a hold. */
export const hasPace = `(${isOfNow} and breaker.pace > 0
  and (paused_until > now() - interval '1 hour' or paused_until is null))`;

/** When a slow start begins: after a pause that is not over yet, or null for the next delivery. */
export const pauseLeft = 'nullif(greatest(breaker.paused_until, now()), now())';

/** The first second adds a tenth of the peak, 20 if it is unknown, and each later one 1.1 times as much. */
export const paceNow = `breaker.pace + coalesce(breaker.peak, 20) * (1.1 ^ greatest(0,
  extract(epoch from now() - coalesce(breaker.paused_until, now())))::float8 - 1)`;

export function causeOf(target: string, answer: string): Cause {
  return String(BigInt(acceptedBy(target)) + (numberOf(fingerprintReason(answer)) % maxCauses) + 1n);
}

/** The stand-in for a cause if a target accepted the event. */
export function acceptedBy(target: string): Cause {
  return String(((numberOf(target) & 0x7fff_ffffn) | 1n) << 32n);
}

/** Returns the cause of an event if it failed at this target, or null: not tried there, or accepted. */
export function failureAt(target: string, cause: Cause | null): Cause | null {
  const answer = BigInt(cause ?? 0) - BigInt(acceptedBy(target));
  return answer > 0n && answer <= maxCauses ? cause : null;
}

function numberOf(text: string): bigint {
  return BigInt(`0x${hash('sha256', text).slice(0, 8)}`);
}
