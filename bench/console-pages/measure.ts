// Measures the response time of each console page over a month of history, and its CPU time, which depends less on other
// load of the machine: of Node, including the client, and of all PostgreSQL processes.
//   DATABASE_URL=postgres://... node bench/console-pages/measure.ts [closed] [open] [failing] [rounds] [pages] [shape]
// An empty database, which must be on this machine, is filled first; a filled one is measured as it is. `pages`: a regular
// expression for the names of the pages to measure. With a shape of test/support/shapes.ts, such as `groups`, there are `open`
// more events, each of its own type, key, error or target.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import pg from 'pg';
import { consolePages } from '../../functions/console/console.ts';
import { migrate } from '../../migrations/migrate.ts';
import { purgeCounts } from '../../shared/counts/aggregate-counts.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { refresh } from '../../shared/groups/refresh-groups.ts';
import { aRouteTo, retryConfig } from '../../test/support/routes.ts';
import { aRun } from '../../test/support/runs.ts';
import { fillShape, routesOf, type Shape } from '../../test/support/shapes.ts';
import { findPostmaster, readCpuSeconds, readPostgresCpuSeconds } from '../capture-rate/cpu-seconds.ts';
import { fillDatabase } from './fill-database.ts';
import { listPages } from './pages.ts';

const [closed = 5_000_000, open = 20_000, failing = 42_000, rounds = 20] = process.argv
  .slice(2, 6)
  .map(Number);
const wanted = new RegExp(process.argv[6] ?? '');
const shape = process.argv[7] as Shape | undefined;
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL.');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();
const db = openDatabase({ kind: 'url', url, poolMax: 4 }, 'bench');
if (!(await queryValue<boolean>('select exists (select from dlq_events)'))) {
  await fillDatabase(client, { closed, open, failing });
  if (shape) await fillShape(db, shape, { size: open, events: open });
}

const routes = [
  aRouteTo('http://shop/', { match: { eventType: 'order.*' } }),
  aRouteTo('http://psp/', { match: { eventType: 'payment.*' } }),
  ...(shape ? routesOf(shape, Math.min(open, 2000), 'http://shop') : []),
];
while ((await refresh(db)).aggregated > 0);
// As the daily jobs have done.
while ((await purgeCounts(db)) > 0);
// Hours of a deployment are added up a day at a time, and their space is used again.
await client.query('vacuum full analyze dlq_counts');
// The run is new: the tables of its events have no statistics about it.
if (!(await queryValue<boolean>('select exists (select from dlq_runs)'))) {
  await client.query('vacuum analyze');
  const whole = { filter: { status: ['PENDING', 'FAILED_PERMANENTLY'], capturedAfter: '2000-01-01' } };
  const { id } = await aRun({ db, routes }, whole);
  await client.query(
    `update dlq_run_events set outcome = case when position % 7 = 0 then 'failed' else 'delivered' end,
       settled_at = now() - interval '10 minutes' + position * interval '5 ms'
     where run_id = ${id} and position <= 100000`,
  );
}
const [subject] = (
  await client.query<{ id: string; eventId: string }>(
    `select id::text, event_id as "eventId" from dlq_events where is_open and event_type like 'order.%' order by id desc limit 1`,
  )
).rows;
const groupOf = (condition: string) =>
  queryValue<string>(
    `select fingerprint from dlq_events where ${condition} group by 1 order by count(*) desc limit 1`,
  );
const pages = listPages({
  middle: `${Math.floor(closed / 2)}`,
  event: subject?.id ?? '',
  eventId: subject?.eventId ?? '',
  archived: await queryValue<string>('select max(id)::text from dlq_events_archive'),
  group: await groupOf('is_blocking and not is_open'),
  outage: await groupOf(`is_open and event_type = 'payment.authorized'`),
  run: await queryValue<string>('select max(id)::text from dlq_runs'),
});

http(
  'console',
  consolePages({
    db,
    routes,
    retry: retryConfig(),
    costLimit: 500_000,
    base: '/',
    identify: () => ({ name: 'ada@example.com', via: 'iap', isOperator: true }),
  }),
);
const server = getTestServer('console').listen(0, '127.0.0.1');
await once(server, 'listening');
const consoleUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const postmaster = await findPostmaster(url);
const readCpuMs = () =>
  [1000 * readCpuSeconds(process.pid), 1000 * readPostgresCpuSeconds(postmaster)] as const;
console.log(
  '| page | median ms | worst ms | CPU ms of Node | of PostgreSQL | kB |\n|---|---|---|---|---|---|',
);
for (const [name, path] of Object.entries(pages)) {
  if (!wanted.test(name)) continue;
  const { status, bytes } = await time(path);
  if (status !== 200) throw new Error(`${name} answered ${status}`);
  const times: number[] = [];
  const [node, postgres] = readCpuMs();
  for (let round = 0; round < rounds; round++) times.push((await time(path)).ms);
  const [nodeEnd, postgresEnd] = readCpuMs();
  const cpuMs = [(nodeEnd - node) / rounds, (postgresEnd - postgres) / rounds];
  times.sort((a, b) => a - b);
  const [median, worst] = [times[Math.floor(times.length / 2)], times.at(-1)];
  const metrics = [median, worst, ...cpuMs, bytes / 1000].map((value) => value?.toFixed(0));
  console.log(`| ${[name, ...metrics].join(' | ')} |`);
}
server.closeAllConnections();
server.close();
await db.close();
await client.end();

/** The time to the last byte of a page, and to the first of an export, which is ended then. */
async function time(path: string): Promise<{ status: number; bytes: number; ms: number }> {
  const began = performance.now();
  const isExport = path.startsWith('events/export');
  const response = await fetch(consoleUrl + path);
  if (!isExport) {
    const { length } = await response.text();
    return { status: response.status, bytes: length, ms: performance.now() - began };
  }
  const reader = response.body?.getReader();
  const first = await reader?.read();
  const ms = performance.now() - began;
  await reader?.cancel();
  return { status: response.status, bytes: first?.value?.length ?? 0, ms };
}

async function queryValue<Value>(question: string): Promise<Value> {
  const { rows } = await client.query<unknown[]>({ text: question, rowMode: 'array' });
  return rows[0]?.[0] as Value;
}
