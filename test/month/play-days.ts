import * as v from 'valibot';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import type { RetryConfig } from '../../shared/config/retry.ts';
import type { Database } from '../../shared/database/database.ts';
import type { DeliveryDeps } from '../../shared/delivery/delivery-deps.ts';
import { RoutesSchema } from '../../shared/delivery/routes.ts';
import { joinRun, runTick } from '../../shared/schedule/run-tick.ts';
import { aCapture } from '../support/captures.ts';
import { aRun } from '../support/runs.ts';
import { moveTime } from './move-time.ts';
import { judge, type Outcome } from './outcomes.ts';
import type { Scene, Told } from './scene.ts';
import { openTarget, type Sent } from './target.ts';

type Sql = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

export type World = {
  readonly db: Database;
  readonly sql: Sql;
  readonly retry: RetryConfig;
};

const hoursPerTick = 6;

/** Plays days of a scene on an empty database, six hours a tick. */
export async function playDays(world: World, scene: Scene, ticks: number): Promise<Outcome> {
  const { db, sql } = world;
  const { replayEvery = Number.POSITIVE_INFINITY, workers = 1 } = scene;
  const told: Told[] = [];
  const sent: Sent[] = [];
  const target = await openTarget(scene, sent);
  const routes = v.parse(RoutesSchema, [routeOf(scene, target.url)]);
  let longestTickSeconds = 0;
  try {
    for (let tick = 0; tick < ticks; tick += 1) {
      target.tick = tick;
      const arrived = scene.arrivals(tick).map((each, i) => ({ ...each, n: told.length + i, tick }));
      told.push(...arrived);
      if (arrived.length > 0) await storeCaptures({ db, repeatSeconds: 600 }, arrived.map(captureOf));
      if (tick % replayEvery === replayEvery - 1) await aRun({ db, routes }, { pace: 'fast' });
      const startedAt = Date.now();
      await runTickOf({ db, routes, retry: { ...world.retry, workers } }, sql);
      longestTickSeconds = Math.max(longestTickSeconds, (Date.now() - startedAt) / 1000);
      await moveTime(sql, `${hoursPerTick} hours`);
    }
  } finally {
    target.close();
  }
  const [failed] = await sql(
    `select count(*)::int as events from dlq_events where status = 'FAILED_PERMANENTLY'`,
  );
  return {
    ...judge(scene, { told, sent, ticks }),
    failedPermanently: Number(failed?.events),
    longestTickSeconds,
  };
}

/** Runs a tick, with a second worker if it may have several. */
async function runTickOf(deps: DeliveryDeps, sql: Sql): Promise<void> {
  const ticking = runTick(deps);
  let isOver = false;
  void ticking.finally(() => (isOver = true)).catch(() => {});
  const join = async (): Promise<unknown> => {
    const [run] = await sql(`select id from dlq_runs where trigger = 'schedule' and ended_at is null`);
    return run ? joinRun(deps, `${run.id}`) : isOver || join();
  };
  await Promise.all([ticking, deps.retry.workers > 1 && join()]);
}

function captureOf(told: Told) {
  const { type = 'order.paid', reason, key, priority, n } = told;
  return aCapture({
    // Infinity becomes null.
    body: Buffer.from(JSON.stringify(told)),
    eventType: type,
    eventKey: `order ${n}`,
    eventId: `${n}`,
    ...(reason !== undefined && { errorReason: reason }),
    ...(key !== undefined && { sourceKey: key }),
    ...(priority !== undefined && { priority }),
  });
}

/** The defaults, with cooldowns that are a thirtieth: a tick of 50 s is one of 25 minutes. */
function routeOf({ policy, isOrdered = false }: Scene, url: string) {
  const breaker = { cooldownSeconds: 1, maxCooldownSeconds: 30 };
  return { target: { kind: 'http', url }, ordered: isOrdered, policy: { breaker, ...policy } };
}
