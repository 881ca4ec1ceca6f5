// Peak memory of the functions that read messages, each in a process with hard limits on its heap and on all of its private
// memory, with events of 10 MB: retry delivers all of them, also in a replay, the API and the console show and export them.
// With `headers` as the last argument the megabytes are in a header of each event, in place of its body. With `shapes`
// as the last one, small events of each shape of test/support/shapes.ts in their place.
//   DATABASE_URL=postgres://... node bench/memory/measure.ts [events] [MB per event] [BATCH_SIZE] [headers|shapes]
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import * as v from 'valibot';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { RoutesSchema } from '../../shared/delivery/routes.ts';
import { aRun } from '../../test/support/runs.ts';
import { fillShape, shapeNames } from '../../test/support/shapes.ts';
import { serveLimited } from './serve-limited.ts';

const [events = 40, megabytes = 10, batchSize = 500] = process.argv.slice(2, 5).map(Number);
const isInHeaders = process.argv[5] === 'headers';
const isShaped = process.argv[5] === 'shapes';
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const pool = new pg.Pool({ connectionString: url, max: 1 });
const db = openDatabase({ kind: 'url', url, poolMax: 1 }, 'bench');

let receivedBytes = 0;
const target = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
  });
  request.on('end', () => response.end('ok'));
}).listen(0, '127.0.0.1');
await once(target, 'listening');
const targetUrl = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;

const environment = {
  DATABASE_URL: url,
  BATCH_SIZE: String(batchSize),
  LOCAL_CALLER: 'bench',
  ROUTES: JSON.stringify([{ target: { kind: 'http', url: targetUrl }, policy: { concurrency: 50 } }]),
};

console.log(`${events} events of ${megabytes} MB, BATCH_SIZE ${batchSize}\n`);
console.log(
  '| work | seconds | bytes | peak memory, MB | memory every tenth of the time, MB |\n|---|---|---|---|---|',
);
const tick = (base: string) => fetch(base, { method: 'POST' }).then((answer) => answer.text());

if (isShaped) {
  await playShapes();
  process.exit();
}
for (const atOnce of isInHeaders ? [] : [4, 8, 16]) {
  await play(`capture, ${atOnce} at once`, 'capture', async (base) => {
    let next = 0;
    const captureAll = async () => {
      while (next < events) await captureLarge(base, next++);
    };
    await Promise.all(Array.from({ length: atOnce }, captureAll));
  });
}
await fill();
await play('retry', 'retry', tick);
await aRun(
  { db, routes: v.parse(RoutesSchema, JSON.parse(environment.ROUTES)) },
  { filter: { status: 'SUCCEEDED' } },
);
await play('replay', 'retry', tick);
const [first] = (await pool.query<{ id: string }>('select min(id) as id from dlq_events')).rows;
for (const format of ['ndjson', 'csv']) {
  await play(`export, ${format}`, 'replay', (base) => read(`${base}events/export?format=${format}`));
}
await play('an event by the API', 'replay', (base) => read(`${base}events/${first?.id}`));
await play('a list by the API', 'replay', (base) => read(`${base}events?limit=100`));
for (const page of ['', 'events', `events/${first?.id}`, `events/${first?.id}/body`]) {
  await play(`page /${page.replace(/\d+/, '{id}')}`, 'console', (base) => read(`${base}${page}`));
}
target.close();
await pool.end();
await db.close();

async function fill(): Promise<void> {
  await pool.query('truncate dlq_events, dlq_attempts, dlq_runs cascade');
  // Text that hardly compresses, as a JSON document.
  await pool.query(
    `with message as materialized (
       select string_agg(md5(n::text), '') as text from generate_series(1, $2::int * 32768) as n
     )
     insert into dlq_events (event_type, payload, body, headers, error_reason, retry_after)
     select 'order.created', case when $3 then '{}' else jsonb_build_object('text', text) end,
       convert_to(case when $3 then '{}' else '{"text":"' || text || '"}' end, 'UTF8'),
       case when $3 then jsonb_build_object('note', text) else '{}' end, 'timeout', now() - interval '1 hour'
     from message, generate_series(1, $1::int)`,
    [events, megabytes, isInHeaders],
  );
}

/** Delivers and shows the events of each shape, as many kinds as events. */
async function playShapes(): Promise<void> {
  for (const shape of shapeNames) {
    await pool.query('truncate dlq_events, dlq_attempts, dlq_counts, dlq_count_deltas, dlq_runs cascade');
    await fillShape(db, shape, { size: events, events });
    await pool.query('vacuum analyze dlq_events');
    for (const page of ['', 'groups', 'targets'])
      await play(`${shape}: page /${page}`, 'console', (base) => read(`${base}${page}`));
    await play(`${shape}: retry`, 'retry', tick);
  }
}

/** Sends a message that hardly compresses. Fails unless it is stored, or rejected for lack of memory and stored later. */
async function captureLarge(base: string, number: number): Promise<void> {
  const body = `{"n":${number},"text":"${randomBytes(megabytes * 2 ** 19 - 64).toString('hex')}"}`;
  const headers = { 'content-type': 'application/json' };
  for (;;) {
    const answer = await fetch(base, { method: 'POST', headers, body }).catch(retryReset);
    if (!answer) continue;
    const text = await answer.text();
    receivedBytes += text.length;
    if (answer.ok) return;
    if (answer.status !== 503) throw new Error(`${answer.status} ${text}`);
  }
}

/** A response that comes before its request was sent may be lost with the connection. */
function retryReset(error: unknown): undefined {
  const { cause } = error as { cause?: { code?: string } };
  if (cause?.code !== 'ECONNRESET' && cause?.code !== 'EPIPE') throw error;
}

async function read(address: string): Promise<void> {
  const answer = await fetch(address);
  if (!answer.ok || !answer.body) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
  for await (const chunk of answer.body) receivedBytes += chunk.length;
}

async function play(name: string, target: string, work: (base: string) => Promise<unknown>): Promise<void> {
  const served = await serveLimited(target, environment);
  receivedBytes = 0;
  const startedAt = performance.now();
  try {
    await work(served.url);
  } catch (error) {
    console.log(
      `| ${name} | | | ended: ${String((error as Error).cause ?? error)} | ${served.output().slice(-300)} |`,
    );
    return;
  } finally {
    served.stop();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const curve = Array.from(
    { length: 10 },
    (_, i) => served.curve[Math.floor(((i + 1) * served.curve.length) / 10) - 1] ?? 0,
  );
  console.log(
    `| ${name} | ${seconds.toFixed(1)} | ${receivedBytes} | ${served.peak().toFixed(0)} | ${curve.map((each) => each.toFixed(0)).join(' ')} |`,
  );
}
