import { setTimeout as sleep } from 'node:timers/promises';
import { pushRequests } from '../support/pubsub/push-requests.ts';
import { timeoutSeconds } from './behaviors.ts';
import type { Dice } from './dice.ts';
import { type FunctionProcess, type Role, startProcess } from './function-process.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { openLink } from './link.ts';
import { orderedType } from './parcels.ts';
import type { Server } from './server.ts';
import { watchStalls } from './stalls.ts';
import { openTarget, type Target } from './target.ts';

/** Lease of the workers, in seconds. */
export const leaseSeconds = 6;

/** Functions, a database and a target, and everything that was seen of them from outside. */
export type Deployment = {
  readonly name: string;
  readonly server: Pick<Server, 'url' | 'sql' | 'session' | 'restart'>;
  readonly processes: readonly FunctionProcess[];
  of(role: Role): FunctionProcess[];
  readonly target: Target;
  readonly ledger: Ledger;
  /** Ends ticks, functions and target. */
  stop(): Promise<void>;
};

type Options = {
  readonly name: string;
  readonly server: Deployment['server'];
  readonly seed: number;
  readonly roles: readonly Role[];
  readonly dice: Dice;
  /** Whether one tick has several workers. */
  readonly hasHelpers?: boolean;
};

/** Routes of the same target. All but the headers is the same in each instance: they name the instance. */
function routesOf(target: Target, instance: string): string {
  const policy = {
    timeoutSeconds,
    backoff: { kind: 'fixed', delaySeconds: 1 },
    breaker: {
      consecutiveFailures: 40,
      failureRatio: 1,
      minimumDeliveries: 1000,
      cooldownSeconds: 1,
    },
  };
  const fragile = { ...policy.breaker, consecutiveFailures: 3, maxCooldownSeconds: 2 };
  const to = (name: string) => ({
    kind: 'http',
    url: `${target.url}/${name}`,
    headers: { 'x-worker': instance },
  });
  return JSON.stringify([
    { match: { eventType: orderedType }, target: to('ordered'), policy, ordered: true },
    { match: { eventType: 'fragile.*' }, target: to('fragile'), policy: { ...policy, breaker: fragile } },
    { target: to('all'), policy },
  ]);
}

export async function openDeployment({
  name,
  server,
  seed,
  roles,
  dice,
  hasHelpers,
}: Options): Promise<Deployment> {
  const ledger = openLedger();
  const stopWatching = watchStalls(ledger);
  const target = await openTarget(ledger, seed);
  const processes: FunctionProcess[] = [];
  const of = (role: Role) => processes.filter((each) => each.role === role);
  let isOver = false;
  const tick = (body?: object) => {
    const worker = dice.pick(of('retry').filter((each) => each.isReady()));
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return worker?.request('/', { method: 'POST', ...(body && json) }).catch(() => {});
  };
  const requests = hasHelpers ? await pushRequests(async (push) => void (await tick(push))) : undefined;
  const env = (instance: string, clockMs: number): Record<string, string> => ({
    ROUTES: routesOf(target, instance),
    LEASE_SECONDS: `${leaseSeconds}`,
    BATCH_SIZE: '20',
    TICK_BUDGET_SECONDS: '8',
    LOCAL_CALLER: 'chaos',
    CHAOS_CLOCK_MS: `${clockMs}`,
    PATH: `${process.env.PATH}`,
    ...(requests && {
      WORKERS: '3',
      CONTINUE_TOPIC: 'projects/local/topics/continue',
      PUBSUB_EMULATOR_HOST: requests.host,
    }),
  });
  const clocks = roles.map(() => dice.pick([-1, 1]) * dice.between(5000, 3_600_000));
  const started = await Promise.all(
    roles.map(async (role, i) => {
      const link = await openLink(server.url);
      const own = `${name} ${role} ${i + 1}`;
      return startProcess({ role, name: own, link, env: (instance) => env(instance, clocks[i] ?? 0) });
    }),
  );
  processes.push(...started);
  // Like a schedule, without waiting for the end of a tick.
  const ticking = (async () => {
    for (; !isOver; await sleep(300)) if (of('retry').every((each) => each.inFlight() < 4)) void tick();
  })();
  return {
    name,
    server,
    processes,
    of,
    target,
    ledger,
    async stop() {
      isOver = true;
      stopWatching();
      await ticking;
      await Promise.all(processes.map((each) => each.stop()));
      await Promise.all(processes.map((each) => each.link.close()));
      await requests?.stop();
      target.close();
    },
  };
}
