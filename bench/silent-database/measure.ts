// How long a capture waits for its 200, and a new event for its delivery, after each kind of fault: two functions in
// processes of their own, a tick one second after the end of the one before, ten senders. Times are from the beginning of
// the fault, or from its end where it ends by itself.
//   DATABASE_URL=postgres://... node bench/silent-database/measure.ts [rounds] [first words of one fault]
// The server must be of this machine and the login a superuser: backends are stopped, and settings of the server changed.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabaseLink } from '../../test/support/database-link.ts';
import { serveFunction } from '../../test/support/framework.ts';
import { faults } from './faults.ts';
import { stopWorker } from './stop-worker.ts';

const [rounds = '10', only = ''] = process.argv.slice(2);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();
const sql = async (text: string) => (await client.query(text)).rows;
const link = await openDatabaseLink(url);

const delivered = new Map<string, number>();
const target = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    delivered.set(JSON.parse(body).name, Date.now());
    setTimeout(() => response.end(), 20);
  });
}).listen(0, '127.0.0.1');
await once(target, 'listening');
const route = {
  target: { kind: 'http', url: `http://127.0.0.1:${(target.address() as AddressInfo).port}/` },
  policy: { timeoutSeconds: 10 },
};
const env = { DATABASE_URL: link.url, ROUTES: JSON.stringify([route]) };
const start = (name: string) => serveFunction(name, env);
let [capture, retry] = await Promise.all([start('capture'), start('retry')]);

const replaceFunctions = async () => {
  const [before, next] = [[capture, retry], await Promise.all([start('capture'), start('retry')])];
  [capture, retry] = next;
  for (const { child } of before) child.kill('SIGTERM');
};

/** A delivery that takes longer is reported with this time. */
const maxWaitMs = 60_000;
let tickUrl: string | undefined;
let tickWait = new AbortController();
/** Sends all ticks from now on to another worker; a tick that is under way is not waited for. */
const redirectTicks = (to?: string) => {
  tickUrl = to;
  tickWait.abort();
  tickWait = new AbortController();
};

let isOver = false;
/** Sends an event until it is captured. Returns how many answers were not 200, and the longest wait for an answer. */
async function send(name: string): Promise<{ failures: number; longestMs: number }> {
  const body = JSON.stringify({ eventType: 'order', eventId: name, error: 'failed', payload: { name } });
  const headers = { 'content-type': 'application/json' };
  for (let failures = 0, longestMs = 0; ; failures++) {
    const startedAt = Date.now();
    const status = await fetch(capture.url, { method: 'POST', headers, body }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    longestMs = Math.max(longestMs, Date.now() - startedAt);
    if (status === 200) return { failures, longestMs };
    await pause(100);
  }
}

const recaptured = randomUUID();
await send(recaptured);
const counts = { sent: 0 };
const background = [
  ...Array.from({ length: 10 }, async () => {
    for (; !isOver; await pause(500)) {
      await send(randomUUID());
      counts.sent += 1;
    }
  }),
  (async () => {
    for (; !isOver; await pause(500)) void send(recaptured);
  })(),
  (async () => {
    for (; !isOver; await pause(1000)) {
      const { signal } = tickWait;
      await fetch(tickUrl ?? retry.url, { method: 'POST', signal }).catch(() => {});
    }
  })(),
];

console.log(
  '| fault | capture answered: worst, median ms | its longest single wait | new event delivered: worst, median ms |',
);
console.log('|---|---|---|---|');
for (const [name, begin] of Object.entries(faults)) {
  if (!name.startsWith(only)) continue;
  const captures: number[] = [];
  const waits: number[] = [];
  const deliveries: number[] = [];
  const held: number[] = [];
  for (let round = 0; round < Number(rounds); round++) {
    await pause(Math.random() * 2000);
    let startedAt = Date.now();
    const stop = () => stopWorker(sql, env, redirectTicks);
    const end = await begin({ sql, link, pause, recaptured, replaceFunctions, stopWorker: stop });
    // A fault that ends by itself has ended; the others have just begun.
    if (/for 3 s|others in their|SIGSTOP to a worker/.test(name)) startedAt = Date.now();
    const event = randomUUID();
    const { longestMs } = await send(event);
    captures.push(Date.now() - startedAt);
    waits.push(longestMs);
    while (!delivered.has(event) && Date.now() - startedAt < maxWaitMs) await pause(10);
    deliveries.push((delivered.get(event) ?? Date.now()) - startedAt);
    const heldMs = await end();
    if (typeof heldMs === 'number') held.push(heldMs);
  }
  const show = (all: number[]) => {
    const sorted = all.toSorted((a, b) => a - b);
    return `${sorted.at(-1)}, ${sorted[Math.floor(sorted.length / 2)]}`;
  };
  console.log(`| ${name} | ${show(captures)} | ${Math.max(...waits)} | ${show(deliveries)} |`);
  if (held.length > 0) console.log(`| - the events that it held | | | ${show(held)} |`);
}
isOver = true;
for (const { child } of [capture, retry]) child.kill('SIGKILL');
const rows = await sql(
  `select count(*)::int as events, count(*) filter (where status <> 'SUCCEEDED')::int as open from dlq_events`,
);
console.log(`\n${counts.sent} events of other senders; ${JSON.stringify(rows[0])}`);
await Promise.race([Promise.allSettled(background), pause(1000)]);
process.exit(0);
