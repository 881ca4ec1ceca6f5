// Five types of two events per second each, without and beside a flood: one type at some hundreds of events per second. Times
// of the captures of the others, of their deliveries, and of console pages. Functions in processes of their own, and a tick
// every second, whether or not the one before has ended.
//   DATABASE_URL=postgres://... node bench/flood/measure.ts [seconds of each phase] [events per second of the flood]
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { consolePages } from '../../functions/console/console.ts';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { serveFunction } from '../../test/support/framework.ts';
import { retryConfig } from '../../test/support/routes.ts';

const [seconds = 60, rate = 300] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();

const deliveredAt = new Map<string, number>();
const target = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    deliveredAt.set(JSON.parse(body).name, Date.now());
    setTimeout(() => response.end(), 20);
  });
});
const listen = async (server: ReturnType<typeof createServer>) => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};
const routes = JSON.stringify([{ target: { kind: 'http', url: await listen(target) } }]);
const start = (name: string) => serveFunction(name, { DATABASE_URL: url, ROUTES: routes });
const [capture, retry] = await Promise.all([start('capture'), start('retry')]);
const db = openDatabase({ kind: 'url', url, poolMax: 4 }, 'console');
const identify = () => ({ name: 'ada@example.com', via: 'iap', isOperator: true }) as const;
const deps = { db, routes: [], retry: retryConfig(), costLimit: 500_000, base: '/', identify };
const consoleUrl = await listen(createServer(consolePages(deps)));

async function send(eventType: string): Promise<{ name: string; ms: number; capturedAt: number }> {
  const name = randomUUID();
  const body = JSON.stringify({ eventType, eventId: name, error: 'failed', payload: { name } });
  const startedAt = Date.now();
  const response = await fetch(capture.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`A capture answered ${response.status}.`);
  return { name, ms: Date.now() - startedAt, capturedAt: Date.now() };
}

/** Repeats a step `perSecond` times per second, whatever time it takes, and returns its results. */
async function repeat<Result>(perSecond: number, step: () => Promise<Result>): Promise<Result[]> {
  const running: Promise<Result>[] = [];
  const startedAt = Date.now();
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed = Date.now() - startedAt) {
    while (running.length < (elapsed / 1000) * perSecond) running.push(step());
    await pause(20);
  }
  return Promise.all(running);
}

const pages = ['', 'groups', 'events', 'events?q=type:order.1', 'runs', 'targets'];
async function timePages(): Promise<number[]> {
  const times: number[] = [];
  for (const endsAt = Date.now() + seconds * 1000; Date.now() < endsAt; await pause(500)) {
    for (const page of pages) {
      const startedAt = performance.now();
      const response = await fetch(consoleUrl + page);
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${page} answered ${response.status}.`);
      times.push(performance.now() - startedAt);
    }
  }
  return times;
}

const show = (all: readonly number[]) => {
  const sorted = all.toSorted((a, b) => a - b);
  return [0.5, 0.99].map((share) => sorted[Math.floor(sorted.length * share)]?.toFixed(0)).join(', ');
};
console.log(
  '| | captures of others, ms | until their delivery, ms | pages, ms | delivered/s: others, flood |',
);
console.log('|---|---|---|---|---|');
let isOver = false;
const ticks = (async () => {
  for (; !isOver; await pause(1000)) void fetch(retry.url, { method: 'POST' }).catch(() => {});
})();
for (const perSecond of [0, rate]) {
  deliveredAt.clear();
  let next = 0;
  const flood = perSecond > 0 ? repeat(perSecond, () => send('flood')) : undefined;
  const others = repeat(10, () => send(`order.${next++ % 5}`));
  const [sent, times] = await Promise.all([others, timePages(), flood]);
  const during = deliveredAt.size / seconds;
  while (sent.some(({ name }) => !deliveredAt.has(name))) await pause(100);
  const delays = sent.map(({ name, capturedAt }) => (deliveredAt.get(name) ?? 0) - capturedAt);
  const rates = `${(sent.length / seconds).toFixed(0)}, ${Math.max(0, during - sent.length / seconds).toFixed(0)}`;
  console.log(
    `| ${perSecond} events/s of another type | ${show(sent.map(({ ms }) => ms))} | ${show(delays)} | ${show(times)} | ${rates} |`,
  );
}
isOver = true;
for (const { stop } of [capture, retry]) await stop();
await Promise.allSettled([ticks]);
process.exit(0);
