// Measures the response time of each console page over a month of history, and its CPU time, which depends less on other
// load of the machine: of Node, including the client, and of all PostgreSQL processes.
//   DATABASE_URL=postgres://... node bench/console-pages/measure.ts [closed] [open] [rounds]
// An empty database, which must be on this machine, is filled first; a filled one is measured as it is.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import pg from 'pg';
import { consolePages } from '../../functions/console/console.ts';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { refreshGroups } from '../../shared/groups/refresh-groups.ts';
import { aRouteTo, retryConfig } from '../../test/support/routes.ts';
import { aRun } from '../../test/support/runs.ts';
import { findPostmaster, readCpuSeconds, readPostgresCpuSeconds } from '../capture-rate/cpu-seconds.ts';
import { fillDatabase } from './fill-database.ts';

const [closed = 5_000_000, open = 20_000, rounds = 20] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL.');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();
if (!(await queryValue<boolean>('select exists (select from dlq_events)')))
  await fillDatabase(client, { closed, open });

const db = openDatabase({ kind: 'url', url, poolMax: 4 }, 'bench');
const routes = [aRouteTo('http://shop/', { match: { eventType: 'order.*' } })];
while ((await refreshGroups(db)).aggregated > 0);
await client.query('vacuum analyze');
const run = await aRun({ db, routes }, { filter: { status: ['PENDING'], capturedAfter: '2000-01-01' } });
const group = await queryValue<string>(
  "select fingerprint from dlq_events where status = 'FAILED_PERMANENTLY' group by 1 order by count(*) desc limit 1",
);
const [event, middle] = [
  await queryValue<string>('select max(id)::text from dlq_events where is_open'),
  `${Math.floor(closed / 2)}`,
];

const pages = {
  overview: '',
  'overview, 7 days': '?range=7d',
  'overview, 30 days': '?range=30d',
  errors: 'groups',
  'errors, by novelty': 'groups?order=novelty',
  'the largest error': `groups/${encodeURIComponent(group)}`,
  events: 'events',
  'events, from the middle of all': `events?before=${middle}`,
  'events that failed permanently': 'events?q=status:FAILED_PERMANENTLY',
  'events that are open': 'events?q=status:PENDING,PROCESSING',
  'events of a type in a day': 'events?q=type:order.7+failed:>24h',
  'events of a day three weeks ago': 'events?q=failed:>21d+failed:<20d',
  'events captured three weeks ago': 'events?q=captured:>21d+captured:<20d',
  'permanent failures older than three weeks': 'events?q=status:FAILED_PERMANENTLY+failed:<21d',
  'a text in the errors of a day': 'events?q=error:"step+499"+failed:>24h',
  'events of a key': 'events?q=key:customer-7',
  'events of the largest error': `events?q=fingerprint:${encodeURIComponent(group)}`,
  'the archive': 'events/archive',
  'a type in the archive, three weeks ago': 'events/archive?q=type:order.7+failed:<21d',
  'a key in the archive': 'events/archive?q=key:customer-7',
  'one event': `events/${event}`,
  'edit one event': `events/${event}/edit`,
  'a replay preview, of an error': `runs/new?q=fingerprint:${encodeURIComponent(group)}+status:FAILED_PERMANENTLY`,
  'a replay preview, of all open events': 'runs/new?q=status:PENDING',
  'a discard preview, of an error': `events/discard?q=fingerprint:${encodeURIComponent(group)}`,
  runs: 'runs',
  'a run': `runs/${run.id}`,
  targets: 'targets',
};

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
const readCpuMs = () => 1000 * (readCpuSeconds(process.pid) + readPostgresCpuSeconds(postmaster));
console.log('| page | median ms | worst ms | CPU ms | kB |\n|---|---|---|---|---|');
for (const [name, path] of Object.entries(pages)) {
  const { status, bytes } = await time(path);
  if (status !== 200) throw new Error(`${name} answered ${status}`);
  const times: number[] = [];
  const began = readCpuMs();
  for (let round = 0; round < rounds; round++) times.push((await time(path)).ms);
  const cpuMs = (readCpuMs() - began) / rounds;
  times.sort((a, b) => a - b);
  const [median, worst] = [times[Math.floor(times.length / 2)], times.at(-1)];
  const metrics = [median, worst, cpuMs, bytes / 1000].map((value) => value?.toFixed(0));
  console.log(`| ${[name, ...metrics].join(' | ')} |`);
}
server.closeAllConnections();
server.close();
await db.close();
await client.end();

async function time(path: string): Promise<{ status: number; bytes: number; ms: number }> {
  const began = performance.now();
  const response = await fetch(consoleUrl + path);
  const { length } = await response.text();
  return { status: response.status, bytes: length, ms: performance.now() - began };
}

async function queryValue<Value>(question: string): Promise<Value> {
  const { rows } = await client.query<unknown[]>({ text: question, rowMode: 'array' });
  return rows[0]?.[0] as Value;
}
