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

/** After a "too many" the first second adds a tenth of the peak, and each later one 1.1 times as much. */
export const paceNow =
  'breaker.pace + breaker.peak * (1.1 ^ greatest(0, extract(epoch from now() - breaker.paused_until))::float8 - 1)';

export function causeOf(target: string, answer: string): Cause {
  return String(halfOf(target).half + (numberOf(fingerprintReason(answer)) % maxCauses) + 1n);
}

/** The stand-in for a cause if a target accepted the event. */
export function acceptedBy(target: string): Cause {
  return halfOf(target).accepted;
}

/** Whether a target has answered an event with this cause: accepted it, or failed. */
export function isTriedAt(target: string, cause: Cause | null): boolean {
  return cause !== null && BigInt(cause) >> 32n === halfOf(target).half >> 32n;
}

/** Whether an event has failed at a target of this cause. */
export function hasFailedAt(target: string, cause: Cause | null): boolean {
  return isTriedAt(target, cause) && cause !== acceptedBy(target);
}

const halves = new Map<string, { readonly half: bigint; readonly accepted: Cause }>();

function halfOf(target: string) {
  const known = halves.get(target);
  if (known) return known;
  const half = ((numberOf(target) & 0x7fff_ffffn) | 1n) << 32n;
  const named = { half, accepted: String(half) };
  halves.set(target, named);
  return named;
}

function numberOf(text: string): bigint {
  return BigInt(`0x${hash('sha256', text).slice(0, 8)}`);
}
