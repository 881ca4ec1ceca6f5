import type { Lease } from '../../shared/delivery/claim.ts';
import type { DeliveryDeps } from '../../shared/delivery/delivery-deps.ts';
import type { ClaimedEvent } from '../../shared/delivery/leased-event.ts';
import { openPipeline } from '../../shared/delivery/pipeline.ts';
import { findRoute } from '../../shared/delivery/routes.ts';
import type { Settled } from '../../shared/delivery/settlement.ts';

/** Delivers and settles these events as the worker of a tick does that has claimed them. */
export async function deliverBatch(
  deps: DeliveryDeps,
  { lease, events }: { readonly lease: Lease; readonly events: readonly ClaimedEvent[] },
): Promise<readonly Settled[]> {
  const settled: Settled[] = [];
  const source = { obeysBreakers: () => true };
  const pipeline = openPipeline(deps, { runId: '7', source, record: (batch) => settled.push(...batch) });
  const claimed = events.map((event) => ({ event, route: findRoute(deps.routes, event) }));
  pipeline.start({ lease, claimed });
  await pipeline.finish();
  return settled;
}
