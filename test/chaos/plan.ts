import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from './deployment.ts';
import { type Dice, openDice } from './dice.ts';
import { backendFaults } from './faults/backends.ts';
import { connectionFaults } from './faults/connections.ts';
import type { FaultKind, Lane } from './faults/fault.ts';
import { operatorFaults } from './faults/operators.ts';
import { processFaults } from './faults/processes.ts';
import { serverFaults } from './faults/server.ts';

const ofLane = (lane: Lane, kinds: Record<string, Omit<FaultKind, 'lane'>>): [string, FaultKind][] =>
  Object.entries(kinds).map(([name, kind]) => [name, { ...kind, lane }]);

/** Every fault that is inflicted on a deployment; senders and targets have their own. */
export const kinds: ReadonlyMap<string, FaultKind> = new Map([
  ...ofLane('processes', processFaults),
  ...ofLane('connections', connectionFaults),
  ...ofLane('backends', backendFaults),
  ...ofLane('server', serverFaults),
  ...ofLane('operators', operatorFaults),
]);

/** A fault of a plan: it is inflicted `afterMs` after the end of the one before in its lane. */
export type Planned = { readonly kind: string; readonly afterMs: number; readonly dice: Dice };

/** The pauses of a lane, in ms. */
const pauses: Readonly<Record<Lane, readonly [number, number]>> = {
  processes: [500, 3000],
  connections: [0, 800],
  backends: [0, 800],
  server: [2000, 8000],
  operators: [100, 1000],
};

/**
 * Returns the endless plan of a lane. The same seed and lane give the same plan. `only` is a part of the
 * names of the only faults in it; a lane without such a fault has an empty plan.
 */
export function* planLane(seed: number, subject: string, lane: Lane, only = ''): Generator<Planned> {
  const own = [...kinds].filter(([name, kind]) => kind.lane === lane && name.includes(only));
  const names = own.flatMap(([name, { weight }]) => Array<string>(weight).fill(name));
  for (let n = 0; names.length > 0; n++) {
    const dice = openDice(seed, `${subject} ${lane} ${n}`);
    yield { kind: dice.pick(names), afterMs: dice.between(...pauses[lane]), dice };
  }
}

/** Inflicts one fault, and records it. */
export async function inflict(
  deployment: Deployment,
  { kind, dice }: Omit<Planned, 'afterMs'>,
): Promise<boolean> {
  const at = Date.now();
  const done = await kinds
    .get(kind)
    ?.inflict({ deployment, dice })
    .catch((error: unknown) => {
      if (process.env.CHAOS_DEBUG) console.error(kind, String(error));
      return undefined;
    });
  const { on, workers = [], rows = [], until = Date.now(), isFatal } = done ?? {};
  deployment.ledger.faults.push({ kind, at, until, effect: on, workers, isFatal, rows });
  return on !== undefined;
}

/** How long a fault is tried that has to take effect, in ms: only a suite that hangs takes so long. */
const maxTryingMs = 300_000;

/** Inflicts one fault, again until it takes effect. Throws if it never does. */
export async function inflictUntilEffective(
  deployment: Deployment,
  kind: string,
  diceOf: (n: number) => Dice,
): Promise<void> {
  const endsAt = Date.now() + maxTryingMs;
  for (let n = 0; Date.now() < endsAt; n++) {
    if (await inflict(deployment, { kind, dice: diceOf(n) })) return;
    await sleep(20);
  }
  throw new Error(`"${kind}" had no effect within ${maxTryingMs / 1000} s.`);
}

/** Inflicts a plan until `endsAt`, in ms since the epoch. */
export async function inflictUntil(
  deployment: Deployment,
  plan: Iterable<Planned>,
  endsAt: number,
): Promise<void> {
  for (const { afterMs, ...planned } of plan) {
    if (Date.now() + afterMs >= endsAt) return;
    await sleep(afterMs);
    await inflict(deployment, planned);
  }
}
