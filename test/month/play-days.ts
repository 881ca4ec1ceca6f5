import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as v from 'valibot';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import type { RetryConfig } from '../../shared/config/retry.ts';
import type { Database } from '../../shared/database/database.ts';
import { RoutesSchema } from '../../shared/delivery/routes.ts';
import { runTick } from '../../shared/schedule/run-tick.ts';
import { aCapture } from '../support/captures.ts';
import { moveTime } from './move-time.ts';
import type { Refusal, Scene, Told } from './scenes.ts';

type Sql = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

export type World = {
  readonly db: Database;
  readonly sql: Sql;
  readonly retry: RetryConfig;
  readonly after?: () => Promise<void>;
};

/** What became of the events of a scene. Waits are in ticks. */
export type Outcome = {
  readonly scene: string;
  readonly healthy: number;
  readonly waits: readonly number[];
  /** Healthy events that were not sent when the days were over. */
  readonly never: number;
  readonly failedPermanently: number;
  /** The most requests in one tick to a target that was not well, and of sick events that had been sent before. */
  readonly requestsWhileDown: number;
  readonly requestsOfSick: number;
  readonly refusals: number;
  readonly sentTwice: number;
  readonly longestTickSeconds: number;
};

type Sent = {
  readonly told: Told;
  readonly tick: number;
  readonly isAccepted: boolean;
  readonly isLimit: boolean;
};

const hoursPerTick = 6;

/** Plays scenes at once, each with a target and event types of its own, six hours a tick. */
export async function playDays(
  { db, sql, retry, after }: World,
  scenes: readonly Scene[],
  ticks: number,
): Promise<Outcome[]> {
  const told: Told[] = [];
  const sent: Sent[] = [];
  const seconds: number[] = [];
  const targets = await openTargets(scenes, sent);
  try {
    const routes = v.parse(
      RoutesSchema,
      scenes.map((scene, i) => routeOf(scene, targets.urlOf(i))),
    );
    for (let tick = 0; tick < ticks; tick += 1) {
      targets.tick = tick;
      const arrived = scenes.flatMap((scene) => arrivalsOf(scene, tick, told));
      told.push(...arrived);
      for (let i = 0; i < arrived.length; i += 200)
        await storeCaptures({ db, repeatSeconds: 600 }, arrived.slice(i, i + 200).map(captureOf));
      const startedAt = Date.now();
      await runTick({ db, routes, retry });
      seconds.push((Date.now() - startedAt) / 1000);
      await after?.();
      await moveTime(sql, `${hoursPerTick} hours`);
    }
  } finally {
    targets.close();
  }
  const failed = await sql(
    `select payload ->> 'scene' as scene, count(*)::int as events from dlq_events where status = 'FAILED_PERMANENTLY' group by 1`,
  );
  return scenes.map((scene) => ({
    ...judge(
      scene,
      told.filter((each) => each.scene === scene.name),
      sent.filter((each) => each.told.scene === scene.name),
      ticks,
    ),
    failedPermanently: Number(failed.find((row) => row.scene === scene.name)?.events ?? 0),
    longestTickSeconds: Math.max(...seconds),
  }));
}

function arrivalsOf(scene: Scene, tick: number, known: readonly Told[]): Told[] {
  const before = known.filter((each) => each.scene === scene.name).length;
  return scene.arrivals(tick).map((each, i) => ({ ...each, scene: scene.name, n: before + i, tick }));
}

function captureOf(told: Told) {
  const { scene, type = 'x', reason, key, priority, n } = told;
  return aCapture({
    // Infinity becomes null.
    body: Buffer.from(JSON.stringify(told)),
    eventType: `${scene} ${type}`,
    eventKey: `${scene} ${n}`,
    eventId: `${n}`,
    ...(reason !== undefined && { errorReason: reason }),
    ...(key !== undefined && { sourceKey: key }),
    ...(priority !== undefined && { priority }),
  });
}

function routeOf({ name, policy, isOrdered }: Scene, url: string) {
  return {
    match: { eventType: `${name} *` },
    target: { kind: 'http', url },
    ordered: isOrdered ?? false,
    policy: { breaker: { cooldownSeconds: 1, maxCooldownSeconds: 30 }, ...policy },
  };
}

async function openTargets(scenes: readonly Scene[], sent: Sent[]) {
  const state = { tick: 0 };
  const limits = new Map<string, Window>();
  const server = createServer(async (request, response) => {
    const scene = scenes[Number(request.url?.slice(1))];
    const told = await readTold(request);
    if (!scene) return;
    const wait = waitOf(scene, limits);
    const refusal = wait > 0 ? { status: 429, wait } : refusalOf(scene, told, state.tick);
    sent.push({ told, tick: state.tick, isAccepted: refusal === undefined, isLimit: wait > 0 });
    answer(response, refusal);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    urlOf: (i: number) => `http://127.0.0.1:${port}/${i}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}

async function readTold(request: IncomingMessage): Promise<Told> {
  const told = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
  return { ...told, sickUntil: told.sickUntil ?? Number.POSITIVE_INFINITY };
}

function answer(response: ServerResponse, refusal: (Refusal & { readonly wait?: number }) | undefined): void {
  if (refusal === undefined) response.writeHead(200).end();
  else if (refusal === 'reset') response.destroy();
  else if (refusal !== 'hang') {
    const { status, wait, body = '' } = refusal;
    response.writeHead(status, wait === undefined ? {} : { 'retry-after': `${Math.ceil(wait)}` }).end(body);
  }
}

type Window = { readonly since: number; requests: number };

/** The seconds until a target takes more; 0 if it does now. */
function waitOf({ name, limit }: Scene, limits: Map<string, Window>): number {
  if (!limit) return 0;
  const known = limits.get(name);
  const now = Date.now();
  const window = known && now - known.since < limit.seconds * 1000 ? known : { since: now, requests: 0 };
  limits.set(name, window);
  if (window.requests >= limit.requests) return limit.seconds - (now - window.since) / 1000;
  window.requests += 1;
  return 0;
}

function refusalOf(scene: Scene, told: Told, tick: number): Refusal | undefined {
  if (scene.isUp?.(tick, told) === false) return scene.down ?? { status: 500 };
  if (tick < told.sickUntil) return scene.sick?.(told) ?? { status: 500 };
  return undefined;
}

function judge(scene: Scene, told: readonly Told[], sent: readonly Sent[], ticks: number) {
  const takes = (event: Told, tick: number) => refusalOf(scene, event, tick) === undefined;
  const first = told.flatMap((event) => {
    const at = Array.from({ length: ticks }, (_, tick) => tick).find(
      (tick) => tick >= event.tick && takes(event, tick),
    );
    return at === undefined ? [] : [{ event, at }];
  });
  const accepted = Map.groupBy(
    sent.filter(({ isAccepted }) => isAccepted),
    (each) => each.told.n,
  );
  const waits = first.flatMap(({ event, at }) => {
    const tick = accepted.get(event.n)?.[0]?.tick;
    return tick === undefined ? [] : [tick - at];
  });
  const count = (of: (each: Sent, i: number) => boolean) =>
    Math.max(0, ...[...Map.groupBy(sent.filter(of), ({ tick }) => tick).values()].map((each) => each.length));
  const isAgain = new Map<number, number>();
  const again = new Set(
    sent.filter(({ told }) => {
      isAgain.set(told.n, (isAgain.get(told.n) ?? 0) + 1);
      return (isAgain.get(told.n) ?? 0) > 1;
    }),
  );
  return {
    scene: scene.name,
    healthy: first.length,
    waits: waits.toSorted((a, b) => a - b),
    never: first.length - waits.length,
    requestsWhileDown: count(({ told, tick }) => scene.isUp?.(tick, told) === false),
    requestsOfSick: count((each) => each.tick < each.told.sickUntil && again.has(each)),
    refusals: sent.filter(({ isLimit }) => isLimit).length,
    sentTwice: [...accepted.values()].filter((each) => each.length > 1).length,
  };
}
