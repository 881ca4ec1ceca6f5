import { setTimeout as sleep } from 'node:timers/promises';
import type { FunctionProcess } from '../function-process.ts';
import type { Connection } from '../link.ts';
import { becomes, type FaultKind, type Inflict, type Scene, waitMs } from './fault.ts';

/** Picks one process, of which most carry captures and deliveries. */
function pickProcess({ deployment, dice }: Scene): FunctionProcess {
  return dice.pick([...deployment.of('capture'), ...deployment.of('retry'), ...deployment.processes]);
}

const effectOn = (each: FunctionProcess, what: string) => ({
  on: `${each.name()}: ${what}`,
  workers: [each.name()],
});

/**
 * Silences all connections of a process that are open now; new ones work. Thaws or resets them at the end, or
 * ends them.
 */
const freeze =
  (end: 'thaw' | 'reset' | 'never', from: number, to: number): Inflict =>
  async (scene) => {
    const chosen = pickProcess(scene);
    const frozen = [...chosen.link.connections];
    for (const connection of frozen) connection.silence();
    const wasInUse = frozen.some(({ isInUse }) => isInUse);
    const effect = effectOn(chosen, `${frozen.length} connections`);
    await sleep(scene.dice.between(from, to));
    const isEffective = wasInUse || frozen.some(({ withheld }) => withheld > 0);
    // A function that has given up its end does not hear of the other.
    for (const connection of frozen) {
      if (end === 'thaw') connection.thaw();
      else connection.reset();
    }
    return isEffective ? effect : undefined;
  };

/** Cuts one connection while the function waits for an answer. */
const cutInUse: Inflict = async (scene) => {
  const chosen = pickProcess(scene);
  const connection = await chosen.link.nextUse(waitMs);
  if (!connection) return undefined;
  // Before the statement, while it runs, or after its commit.
  await sleep(scene.dice.pick([0, 0, 1, 3]));
  if (!connection.isInUse || connection.isClosed) return undefined;
  connection.reset();
  return effectOn(chosen, `port ${connection.port}`);
};

const splitStatement: Inflict = async (scene) => {
  const chosen = pickProcess(scene);
  const connection = await chosen.link.splitNext(waitMs);
  if (!connection) return undefined;
  const effect = effectOn(chosen, `port ${connection.port}`);
  await sleep(scene.dice.between(500, 9000));
  connection.reset();
  return effect;
};

const refuse: Inflict = async (scene) => {
  const chosen = pickProcess(scene);
  const { link } = chosen;
  const inUse = [...link.connections].filter(({ isInUse }) => isInUse);
  const before = link.connections.size;
  await link.refuse();
  await sleep(scene.dice.between(300, 2500));
  await link.accept();
  const from = Date.now();
  const isBack = () => [...link.connections].some(({ openedAt }: Connection) => openedAt >= from);
  // Another connection shows that the function needed one.
  const isEffective = inUse.length > 0 || (before > 0 && (await becomes(isBack, waitMs)));
  return isEffective ? { ...effectOn(chosen, `${before} connections`), until: from } : undefined;
};

const slowDown: Inflict = async (scene) => {
  const chosen = pickProcess(scene);
  const { link } = chosen;
  link.delayMs = Math.round(scene.dice.between(20, 400));
  const [used] = await Promise.all([link.nextUse(1500), sleep(scene.dice.between(1500, 4000))]);
  const effect = effectOn(chosen, `${link.delayMs} ms`);
  link.delayMs = 0;
  return used ? effect : undefined;
};

export const connectionFaults = {
  'half-open connections': { weight: 2, inflict: freeze('never', 6000, 12_000) },
  'frozen connections that thaw': { weight: 4, inflict: freeze('thaw', 300, 4000) },
  'frozen connections that are reset': { weight: 4, inflict: freeze('reset', 300, 3000) },
  'connection cut in use': { weight: 14, inflict: cutInUse },
  'connection silent in the middle of a statement': { weight: 3, inflict: splitStatement },
  'connections refused': { weight: 4, inflict: refuse },
  'slow connections': { weight: 3, inflict: slowDown },
} satisfies Record<string, Omit<FaultKind, 'lane'>>;
