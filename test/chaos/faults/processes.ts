import { setTimeout as sleep } from 'node:timers/promises';
import { leaseSeconds } from '../deployment.ts';
import type { FunctionProcess, Role } from '../function-process.ts';
import { becomes, type FaultKind, type Inflict, type Scene, waitMs } from './fault.ts';

/**
 * Picks an instance, and waits until it has something in flight: a capture, a delivery, an action or a job.
 */
async function findBusy({ deployment, dice }: Scene, role: Role) {
  const { target } = deployment;
  const all = deployment.of(role);
  const isBusy = (each: FunctionProcess) =>
    each.isReady() && each.inFlight() > 0 && (role !== 'retry' || target.inFlight(each.name()).length > 0);
  await becomes(() => all.some(isBusy), waitMs);
  const busy = dice.pick(all.filter(isBusy));
  if (!busy) return undefined;
  const deliveries = target.inFlight(busy.name()).length;
  return { busy, on: `${busy.name()}, ${busy.inFlight()} requests and ${deliveries} deliveries in flight` };
}

const signal =
  (role: Role, name: NodeJS.Signals): Inflict =>
  async (scene) => {
    const found = await findBusy(scene, role);
    if (!found) return undefined;
    const { busy, on } = found;
    const workers = [busy.name()];
    const until = Date.now();
    const replaced = busy.replaced();
    busy.signal(name);
    await replaced;
    // Until it ends, SIGTERM lets an instance finish.
    return { on, workers, isFatal: true, ...(name === 'SIGKILL' && { until }) };
  };

const suspend =
  (role: Role, from: number, to: number): Inflict =>
  async (scene) => {
    const found = await findBusy(scene, role);
    if (!found) return undefined;
    const { busy, on } = found;
    const [name, pid] = [busy.name(), busy.pid()];
    process.kill(pid, 'SIGSTOP');
    await sleep(scene.dice.between(from, to));
    const isSame = busy.pid() === pid;
    if (isSame) process.kill(pid, 'SIGCONT');
    return isSame ? { on, workers: [name] } : undefined;
  };

const moveClock: Inflict = async (scene) => {
  const found = await findBusy(scene, scene.dice.pick(['retry', 'capture'] as const));
  if (!found) return undefined;
  const { busy, on } = found;
  const [name, pid] = [busy.name(), busy.pid()];
  busy.signal('SIGUSR2');
  await sleep(scene.dice.between(1000, 4000));
  const isSame = busy.pid() === pid;
  if (isSame) busy.signal('SIGUSR2');
  return { on, workers: [name] };
};

const killAll: Inflict = async ({ deployment }) => {
  const { processes } = deployment;
  if (!(await becomes(() => processes.some((each) => each.inFlight() > 0), waitMs))) return undefined;
  const ready = processes.filter((each) => each.isReady());
  const until = Date.now();
  const workers = ready.map((each) => each.name());
  const replaced = ready.map((each) => each.replaced());
  for (const each of ready) each.signal('SIGKILL');
  await Promise.all(replaced);
  return { on: workers.join(', '), workers, isFatal: true, until };
};

const leaseMs = leaseSeconds * 1000;

export const processFaults = {
  'capture: SIGKILL': { weight: 3, inflict: signal('capture', 'SIGKILL') },
  'worker: SIGKILL': { weight: 5, inflict: signal('retry', 'SIGKILL') },
  'replay function: SIGKILL': { weight: 1, inflict: signal('replay', 'SIGKILL') },
  'capture: SIGTERM': { weight: 2, inflict: signal('capture', 'SIGTERM') },
  'worker: SIGTERM': { weight: 3, inflict: signal('retry', 'SIGTERM') },
  'worker: SIGSTOP past its lease': {
    weight: 3,
    inflict: suspend('retry', leaseMs + 500, leaseMs + 3000),
  },
  'worker: SIGSTOP shorter than its lease': { weight: 2, inflict: suspend('retry', 200, 4000) },
  'capture: SIGSTOP': { weight: 3, inflict: suspend('capture', 200, 3000) },
  'clock moves': { weight: 3, inflict: moveClock },
  'all functions: SIGKILL': { weight: 1, inflict: killAll },
} satisfies Record<string, Omit<FaultKind, 'lane'>>;
