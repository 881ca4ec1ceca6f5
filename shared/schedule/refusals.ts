import type { Lease } from '../delivery/claim.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import type { ClaimedEvent } from '../delivery/leased-event.ts';
import type { Policy } from '../delivery/policy/policy.ts';
import { findRoute } from '../delivery/routes.ts';
import { settle } from '../delivery/settle.ts';
import type { Settlement } from '../delivery/settlement.ts';
import { measureAge } from '../events/filter/filter-time.ts';
import { fingerprintReason } from '../groups/fingerprint/fingerprint.ts';

/** Why the schedule does not deliver an event that it has claimed; null if it does. */
export type Refusal = 'expired' | 'permanent' | null;

/** The rules by which a route refuses events, for the function dlq_refusal. */
export type RefusalRules = {
  readonly maxAgeSeconds?: number | undefined;
  readonly errorClasses: readonly { readonly pattern: string; readonly kind: 'transient' | 'permanent' }[];
};

/** Returns the rules of a policy that has any. `*` in a class stands for any text; a pattern of LIKE has other special characters. */
export function rulesOf({ maxAge, errorClasses }: Policy): RefusalRules | undefined {
  const listed = Object.entries(errorClasses);
  if (maxAge === undefined && listed.length === 0) return undefined;
  const age = maxAge === undefined ? undefined : measureAge(maxAge);
  return {
    ...(age !== undefined && { maxAgeSeconds: age / 1000 }),
    errorClasses: listed.map(([name, kind]) => ({
      pattern: name.replaceAll(/[\\%_]/g, String.raw`\$&`).replaceAll('*', '%'),
      kind,
    })),
  };
}

type Refused = ClaimedEvent & { readonly refusal: Refusal };

/**
 * Settles refused events: they fail permanently without an attempt, expired ones with the reason that they expired. Those
 * that another transaction has locked are refused again after their lease. Returns how many were settled. Throws
 * DatabaseUnavailableError.
 */
export async function settleRefused(
  deps: DeliveryDeps,
  runId: string | null,
  { refused, lease }: { readonly refused: readonly Refused[]; readonly lease: Lease },
): Promise<number> {
  if (refused.length === 0) return 0;
  const batch = refused.map((event) => ({ event, lease, settlement: refuse(deps, event, lease) }));
  const { settled } = await settle(deps, { runId, batch });
  return settled.filter(({ isSettled }) => isSettled).length;
}

function refuse({ routes }: Pick<DeliveryDeps, 'routes'>, event: Refused, lease: Lease): Settlement {
  const maxAge = findRoute(routes, event)?.policy.maxAge;
  const error =
    event.refusal === 'expired' ? `Expired: older than ${maxAge}, the maxAge of its route.` : null;
  return {
    id: event.id,
    leaseToken: lease.token,
    status: 'FAILED_PERMANENTLY',
    isFailure: false,
    failureKind: 'permanent',
    error,
    fingerprint: error === null ? null : fingerprintReason(error),
  };
}
