import { statement } from '../database/statement.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import type { Route } from './routes.ts';
import { nameTarget } from './targets/target-kinds.ts';

/** Deliveries a second, which all workers share by its name. */
export type Rate = { readonly name: string; readonly perSecond: number };

/** A route has no name of its own: its conditions and its target identify it. */
export function ratesOf({ match, target, policy: { ratePerSecond: perSecond } }: Route): readonly Rate[] {
  if (perSecond === undefined) return [];
  return [{ name: `${nameTarget(target)} ${JSON.stringify(match)}`, perSecond }];
}

const storeRates = statement<{ rates: readonly Rate[] }, never>('open-rates');

/** Lets all workers share the rates of a configuration and of a run. */
export async function openRates({ db, routes }: DeliveryDeps, ofRun: readonly Rate[]): Promise<void> {
  const rates = [...routes.flatMap(ratesOf), ...ofRun];
  if (rates.length > 0) await storeRates(db, { rates });
}
