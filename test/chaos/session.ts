import path from 'node:path';
import { migrate } from '../../migrations/migrate.ts';
import { calmDown, watchLeases } from './calm.ts';
import { type Deployment, openDeployment } from './deployment.ts';
import { openDice } from './dice.ts';
import type { Lane } from './faults/fault.ts';
import { createLogin } from './faults/server.ts';
import { inflictUntil, planLane } from './plan.ts';
import { look, type Seen } from './seen.ts';
import { startSenders } from './senders.ts';
import { startServer } from './server.ts';

/**
 * The lanes of a deployment: faults of one lane come one after the other, those of several at the same time.
 */
const lanes: readonly (readonly [string, Lane])[] = [
  ['1', 'processes'],
  ['1', 'connections'],
  ['2', 'connections'],
  ['1', 'backends'],
  ['2', 'backends'],
  ['1', 'server'],
  ['1', 'operators'],
  ['2', 'operators'],
];

/** The end of one deployment. */
export type Played = {
  readonly name: string;
  readonly seen: Seen;
  /** The time from the last fault until every event was closed, in ms. */
  readonly calmMs: number;
  /**
   * The longest time for which a lease had ended and no worker had claimed its event, while faults went on,
   * in s.
   */
  readonly overdueSeconds: number;
};

type Options = {
  readonly seed: number;
  readonly minutes: number;
  readonly folder: string;
  readonly name: string;
  /** A part of the names of the only faults to inflict. */
  readonly only: string;
};

/**
 * Opens a deployment with a PostgreSQL of its own, inflicts the plan of a seed on it, and lets it calm down.
 */
export async function play({ seed, minutes, folder, name, only }: Options): Promise<Played> {
  await using resources = new AsyncDisposableStack();
  const server = await startServer(path.join(folder, name));
  resources.defer(server.close);
  await migrate(server.url);
  const url = new URL(server.url);
  url.username = 'chaos';
  await createLogin(server.sql, url.password);
  const deployment = await openDeployment({
    name,
    server: { ...server, url: url.href },
    seed,
    roles: ['capture', 'capture', 'retry', 'retry', 'retry', 'replay', 'maintain'],
    dice: openDice(seed, `deployment ${name}`),
    hasHelpers: openDice(seed, `helpers ${name}`).isBelow(0.5),
  });
  resources.defer(deployment.stop);
  const stopSenders = startSenders({
    ledger: deployment.ledger,
    captures: deployment.of('capture'),
    seed,
    name,
    plain: 5,
    ordered: 4,
    pauseMs: 250,
  });
  const stopWatching = watchLeases(deployment);
  const endsAt = Date.now() + minutes * 60_000;
  await Promise.all(
    lanes.map(([n, lane]) => inflictUntil(deployment, planLane(seed, `${name} ${n}`, lane, only), endsAt)),
  );
  const overdueSeconds = stopWatching();
  await stopSenders();
  await everyProcessServes(deployment);
  const calmMs = await calmDown(deployment);
  return { name, seen: await look(deployment), calmMs, overdueSeconds };
}

async function everyProcessServes({ processes }: Deployment): Promise<void> {
  for (const each of processes) if (!each.isReady()) await each.replaced();
}
