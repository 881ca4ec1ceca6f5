// Memory, file descriptors and connections of capture and retry while 50 senders send and ticks deliver all of it, and every
// 20 s each of their connections goes silent or every backend is terminated.
//   DATABASE_URL=postgres://... node bench/silent-database/soak.ts [minutes]
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabaseLink } from '../../test/support/database-link.ts';
import { serveFunction } from '../../test/support/framework.ts';

const [minutes = 30] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();
const ofFunctions = `from pg_stat_activity where datname = current_database() and application_name in ('capture', 'retry')`;
const link = await openDatabaseLink(url);
const target = createServer((request, response) => request.resume().on('end', () => response.end()));
await once(target.listen(0, '127.0.0.1'), 'listening');
const { port } = target.address() as AddressInfo;
const routes = JSON.stringify([{ target: { kind: 'http', url: `http://127.0.0.1:${port}/` } }]);
const start = (name: string) =>
  serveFunction(name, {
    DATABASE_URL: link.url,
    ROUTES: routes,
    LEASE_SECONDS: '60',
  });
const functions = [await start('capture'), await start('retry')] as const;
const [capture, retry] = functions;
const endsAt = Date.now() + minutes * 60_000;
const statuses = new Map<number, number>();

const senders = Array.from({ length: 50 }, async () => {
  const headers = { 'content-type': 'application/json' };
  for (; Date.now() < endsAt; await pause(200)) {
    const body = JSON.stringify({ eventType: 'order', eventId: randomUUID(), error: 'failed', payload: {} });
    const status = await fetch(capture.url, { method: 'POST', headers, body }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
});

const ticks = (async () => {
  for (; Date.now() < endsAt; await pause(1000)) await fetch(retry.url, { method: 'POST' }).catch(() => {});
})();

console.log(
  '| minute | resident MB of capture, retry | file descriptors | connections | events: all, open | answers by status |\n|---|---|---|---|---|---|',
);
for (let round = 1; Date.now() < endsAt; round++) {
  await pause(20_000);
  const residents = functions.map(({ child }) => {
    const [, kB] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kB) / 1024);
  });
  const descriptors = functions.map(({ child }) => readdirSync(`/proc/${child.pid}/fd`).length);
  const { rows } = await client.query(`select (select count(*) ${ofFunctions}) as connections,
    (select count(*) from dlq_events) as events, (select count(*) from dlq_events where is_open) as open`);
  const [{ connections, events, open }] = rows;
  const answers = JSON.stringify(Object.fromEntries(statuses));
  console.log(
    `| ${(round / 3).toFixed(1)} | ${residents.join(', ')} | ${descriptors.join(', ')} | ${connections} | ${events}, ${open} | ${answers} |`,
  );
  if (round % 2 === 0) link.freeze();
  else await client.query(`select pg_terminate_backend(pid) ${ofFunctions}`);
}
await Promise.all([...senders, ticks]);
for (const { stop } of functions) await stop();
process.exit(0);
