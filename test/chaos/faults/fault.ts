import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../deployment.ts';
import type { Dice } from '../dice.ts';
import type { Fault } from '../ledger.ts';

export type Scene = { readonly deployment: Deployment; readonly dice: Dice };

/** The things that a fault took effect on. `until` if its cause ended earlier than the fault returned. */
export type Effect = { readonly on: string } & Partial<Pick<Fault, 'workers' | 'rows' | 'until' | 'isFatal'>>;

/** Inflicts a fault, and resolves once its cause has ended. Returns undefined if it had no effect. */
export type Inflict = (scene: Scene) => Promise<Effect | undefined>;

/** Faults of one lane of a deployment are inflicted one after the other. */
export type Lane = 'processes' | 'connections' | 'backends' | 'server' | 'operators';

export type FaultKind = { readonly lane: Lane; readonly weight: number; readonly inflict: Inflict };

/** Waits until something is so, for up to `ms`. Returns whether it is. */
export async function becomes(isSo: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
  for (const endsAt = Date.now() + ms; Date.now() < endsAt; await sleep(5)) if (await isSo()) return true;
  return false;
}

/** Waits for the moment in which a fault takes effect, for this many ms. */
export const waitMs = 2000;
