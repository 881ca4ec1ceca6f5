// The cost of each step by the shape of the data: the same number of due events with few or many types, keys, groups or
// targets, and an event with many attempts or captures. Prints a table in ms of processor time, that of each statement in
// ms; needs Linux. The server is that of DATABASE_URL, on this machine, or one of its own.
//   node bench/engine/shapes.ts [--events 100000] [--sizes 1,2000,100000] [--only 'types|runs'] [--run 1000000]
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { consolePages } from '../../functions/console/console.ts';
import { migrate } from '../../migrations/migrate.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import type { Route } from '../../shared/delivery/routes.ts';
import { listCaptures, listEventAttempts } from '../../shared/events/list-events.ts';
import { refresh } from '../../shared/groups/refresh-groups.ts';
import { measure } from '../../shared/metrics/measure.ts';
import { workOnReplay } from '../../shared/replay/work-on-replay.ts';
import { forecast } from '../../shared/schedule/forecast.ts';
import { runTick } from '../../shared/schedule/run-tick.ts';
import { readSnapshot } from '../../shared/schedule/snapshot.ts';
import { aCapture } from '../../test/support/captures.ts';
import { aRouteTo, retryConfig } from '../../test/support/routes.ts';
import { aRun } from '../../test/support/runs.ts';
import { fillShape, routesOf, type Shape, shapeNames } from '../../test/support/shapes.ts';
import { openServer } from '../peers/server.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    sizes: { type: 'string', default: '1,2000,100000' },
    only: { type: 'string', default: '' },
    run: { type: 'string', default: '1000000' },
  },
});
const only = new RegExp(values.only);
const [events, runEvents] = [Number(values.events), Number(values.run)];
const sizes = values.sizes.split(',').map(Number);
const server = await openServer();
await migrate(server.url);
const db = openDatabase({ kind: 'url', url: server.url, poolMax: 4 }, 'bench');
const target = createServer((request, response) => request.resume().on('end', () => response.end('ok')));
await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;

const statements = ['walk-lanes', 'pick-due', 'lease-events', 'settle-events'];
const run = (text: string, given: unknown[] = []) => db.query({ text, values: given });
const clear = () =>
  run(
    'truncate dlq_events, dlq_captures, dlq_attempts, dlq_breakers, dlq_runs, dlq_run_events, dlq_counts, dlq_count_deltas cascade',
  );

/** Processor time of some work in ms, of this process and of its sessions: other work does not change it. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const before = await readCpuMs();
  await work();
  return Math.round((await readCpuMs()) - before);
}

/** The processor time of each session, of one that has ended until its last look, in ms. */
const sessions = new Map<number, number>();

async function readCpuMs(): Promise<number> {
  const text = `select pid from pg_stat_activity where application_name = 'bench'`;
  const { rows } = await db.query<{ pid: number }>({ text });
  for (const { pid } of rows)
    sessions.set(pid, Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6);
  const own = process.cpuUsage();
  return [...sessions.values()].reduce((sum, ms) => sum + ms, (own.user + own.system) / 1000);
}

/** The time of each statement of these names during some work, in ms. */
async function timesOf(names: readonly string[], work: (counting: Database) => Promise<unknown>) {
  const times = new Map(names.map((name) => [name, { ms: 0, count: 0 }]));
  const query: Database['query'] = async (given) => {
    const startedAt = performance.now();
    const result = await db.query<never>(given);
    const time = times.get(given.name ?? '');
    if (time) Object.assign(time, { ms: time.ms + performance.now() - startedAt, count: time.count + 1 });
    return result;
  };
  await work({ ...db, query });
  return names.map((name) => {
    const { ms = 0, count = 0 } = times.get(name) ?? {};
    return count === 0 ? '-' : (ms / count).toFixed(0);
  });
}

/** Measures the steps of one shape in ms, the second time of each, and prints a row. */
async function measureShape(shape: Shape, size: number): Promise<void> {
  await clear();
  await fillShape(db, shape, { size, events });
  // As maintain does each minute.
  await refresh(db);
  await run('vacuum analyze dlq_events');
  const routes = routesOf(shape, size, url);
  const deps = { db, routes, retry: retryConfig({ maxEventsPerTick: 500, tickBudgetSeconds: 600 }) };
  const capture = aCapture({ eventType: 'type-0', sourceKey: 'key-0' });
  const steps = {
    capture: () => storeCaptures({ db, repeatSeconds: 600 }, [capture]),
    tick: () => runTick(deps),
    forecast: async () => forecast(deps, await readSnapshot(deps)),
    metrics: () => measure(db, routes),
    pages: await openPages(routes),
  };
  const times: (number | string)[] = [];
  for (const step of Object.values(steps)) {
    await step();
    times.push(await timeOf(step));
  }
  times.push(...(await timesOf(statements, (counting) => runTick({ ...deps, db: counting }))));
  console.log(`| ${shape} | ${size} | ${times.join(' | ')} |`);
}

/** Returns a function that reads the lists of the console, which has to know all that is open. */
async function openPages(routes: readonly Route[]): Promise<() => Promise<void>> {
  const identify = () => ({ name: 'ada', via: 'local', isOperator: true }) as const;
  const deps = { db, routes, retry: retryConfig(), costLimit: 0, base: '/', identify };
  const server = createServer(consolePages(deps)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const { port } = server.address() as AddressInfo;
  return async () => {
    for (const page of ['', 'groups', 'events', 'runs', 'targets']) {
      const answer = await fetch(`http://127.0.0.1:${port}/${page}`);
      await answer.text();
      if (answer.status !== 200) throw new Error(`/${page} answered ${answer.status}`);
    }
  };
}

/** An event that was captured many times: one more capture, its page, and a tick. */
async function measureCaptures(size: number): Promise<void> {
  await clear();
  const capture = (n: number) => aCapture({ eventKey: 'id:a', deliveryId: `d-${n}` });
  for (let from = 0; from < size; from += 200) {
    const captures = Array.from({ length: Math.min(200, size - from) }, (_, n) => capture(from + n));
    await storeCaptures({ db, repeatSeconds: 600 }, captures);
  }
  await run('vacuum analyze dlq_events, dlq_captures');
  const [event] = (await db.query<{ id: string }>({ text: 'select id from dlq_events' })).rows;
  const deps = { db, routes: [aRouteTo(url)], retry: retryConfig() };
  const times = [
    await timeOf(() => storeCaptures({ db, repeatSeconds: 600 }, [capture(size)])),
    await timeOf(() => listCaptures(db, event?.id ?? '', 262_144)),
    await timeOf(() => runTick(deps)),
  ];
  console.log(`| captures | ${size} | capture ${times[0]}, page ${times[1]}, tick ${times[2]} |`);
}

/** An event with many attempts: how long one more takes, and the first page of them. */
async function measureAttempts(size: number): Promise<void> {
  await clear();
  await fillShape(db, 'groups', { size: 1, events: 1 });
  await run(
    `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
     select id, n, 'transient', $2, now(), 1 from dlq_events, generate_series(1, $1::int) n`,
    [size, `${url}/`],
  );
  await run('vacuum analyze dlq_events, dlq_attempts');
  const [event] = (await db.query<{ id: string }>({ text: 'select id from dlq_events' })).rows;
  const eventId = event?.id ?? '';
  const page = () => listEventAttempts(db, { eventId, before: '9223372036854775807', max: 50 });
  await page();
  const deps = { db, routes: [aRouteTo(url)], retry: retryConfig() };
  console.log(
    `| attempts | ${size} | page ${await timeOf(page)}, tick ${await timeOf(() => runTick(deps))} |`,
  );
}

/** A replay of many events: how long it takes to create it, to deliver 500 of them, and to pick 1,000. */
async function measureRun(shape: Shape, size: number, count = runEvents): Promise<void> {
  await clear();
  await fillShape(db, shape, { size, events: count });
  await run('vacuum analyze dlq_events');
  const routes = routesOf(shape, size, url);
  const deps = { db, routes, retry: retryConfig() };
  const created = await timeOf(() => aRun(deps));
  const { id = '' } = (await db.query<{ id: string }>({ text: 'select id from dlq_runs' })).rows[0] ?? {};
  let delivered = 0;
  const pause = () => run(`update dlq_runs set paused_because = 'measured' where delivered >= 500`);
  const pausing = setInterval(pause, 20);
  const [picked] = await timesOf(['pick-run'], async (counting) => {
    const work = () => workOnReplay({ ...deps, db: counting }, id, { endsAt: Date.now() + 600_000 });
    delivered = await timeOf(work);
  });
  clearInterval(pausing);
  console.log(`| ${shape} | ${size} | ${count} | ${created} | ${delivered} | ${picked} |`);
}

console.log(
  `| ${events} events | of | capture | tick of 500 | forecast | metrics | pages | ${statements.join(' | ')} |\n|---|---|---|---|---|---|---|---|---|---|---|`,
);
for (const shape of shapeNames.filter((name) => only.test(name))) {
  for (const size of sizes) {
    // No environment variable holds more routes.
    if (shape !== 'targets' || size <= 2000) await measureShape(shape, size);
  }
}
if (only.test('attempts')) for (const size of sizes) await measureAttempts(size);
if (only.test('captures')) for (const size of sizes) await measureCaptures(size);
if (only.test('runs')) {
  console.log('\n| run | of | events | create | deliver 500 | pick-run |\n|---|---|---|---|---|---|');
  const played = shapeNames.filter((name) => name !== 'targets');
  for (const shape of played) for (const size of sizes) await measureRun(shape, size);
  for (const less of [100, 10]) await measureRun('keys', 1, runEvents / less);
}
await db.close();
target.closeAllConnections();
target.close();
await server.stop();
