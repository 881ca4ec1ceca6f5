import { hash } from 'node:crypto';
import { fingerprintReason } from '../fingerprint/fingerprint.ts';

/** 63 bits as text: the target in the upper half, the fingerprint of its answer in the lower one. */
export type Cause = string;

/** The part of a breaker's key that stands for the target itself. */
export const ofTarget: Cause = '0';
/** Of a hold that is of no target: the name says of what. */
export const ofNone: Cause = '-1';
/** Of a rate: the name says which one. */
export const ofRate: Cause = '-2';

/** The largest number of breakers that one target has. Causes that meet share one. */
const maxCauses = 1000n;

export function causeOf(target: string, answer: string): Cause {
  return String(BigInt(acceptedBy(target)) + (numberOf(fingerprintReason(answer)) % maxCauses) + 1n);
}

/** The stand-in for a cause if a target accepted the event. */
export function acceptedBy(target: string): Cause {
  return String(((numberOf(target) & 0x7fff_ffffn) | 1n) << 32n);
}

/** The stand-in for a cause if a target took no more when the event came. */
export function refusedBy(target: string): Cause {
  return String(BigInt(acceptedBy(target)) + maxCauses + 1n);
}

/** Whether a cause is that of events of which their target took no more. */
export function isRefusal(cause: Cause | null): boolean {
  return cause !== null && BigInt.asUintN(32, BigInt(cause)) === maxCauses + 1n;
}

/** Returns the cause of an event if it failed at this target, or null: not tried there, or accepted. */
export function failureAt(target: string, cause: Cause | null): Cause | null {
  const answer = BigInt(cause ?? 0) - BigInt(acceptedBy(target));
  return answer > 0n && answer <= maxCauses + 1n ? cause : null;
}

function numberOf(text: string): bigint {
  return BigInt(`0x${hash('sha256', text).slice(0, 8)}`);
}
