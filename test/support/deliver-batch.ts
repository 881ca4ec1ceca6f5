import { deliverLeased } from '../../shared/delivery/deliver.ts';
import type { DeliveryDeps } from '../../shared/delivery/delivery-deps.ts';
import type { ClaimedEvent } from '../../shared/delivery/leased-event.ts';
import type { Lease } from '../../shared/delivery/picker.ts';
import { findRoute } from '../../shared/delivery/routes.ts';
import type { Tally } from '../../shared/delivery/tally.ts';
import { nameTarget } from '../../shared/delivery/targets/target-kinds.ts';
import { openWork } from '../../shared/delivery/work-state.ts';
import { finish } from '../../shared/delivery/worker.ts';
import { openDueEvents } from '../../shared/schedule/due-events.ts';

/**
 * Delivers and settles these events as the worker of a tick does that has leased them. Returns what became of
 * them.
 */
export async function deliverBatch(
  deps: DeliveryDeps,
  { lease, events }: { readonly lease: Lease; readonly events: readonly ClaimedEvent[] },
): Promise<Tally> {
  const picker = openDueEvents(deps, { dueAt: 'now' });
  const work = openWork(deps, { runId: '7', picker, endsAt: Number.POSITIVE_INFINITY });
  const leased = events.flatMap((event) => {
    const route = findRoute(deps.routes, event);
    const before = { status: 'PENDING', processedAt: null } as const;
    const about = {
      leasedAt: 0,
      cause: null,
      kind: '',
      isRedirected: false,
      isSuspect: false,
    };
    return route ? [{ event, lease, route, target: nameTarget(route.target), before, ...about }] : [];
  });
  deliverLeased(work, leased);
  await finish(work);
  return work.tallies.all;
}
