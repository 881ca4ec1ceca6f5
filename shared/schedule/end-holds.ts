import { statement } from '../database/statement.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';

const endExpired = statement<{ ramps: string }, never>('end-holds', import.meta.url);

/** Releases targets whose hold has ended: their deliveries follow the ramp of their route. */
export async function endHolds({ db, routes }: Pick<DeliveryDeps, 'db' | 'routes'>): Promise<void> {
  const ramps = routes.map(({ target, policy }) => [nameTarget(target), policy.breaker.ramp]);
  await endExpired(db, { ramps: JSON.stringify(Object.fromEntries(ramps)) });
}
