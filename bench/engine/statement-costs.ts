// The cost of each statement of a capture and of a drain, per event: instructions of the database in user mode, or its processor
// time, and bytes of WAL; at the end the bytes at rest and the share of updates that wrote no index. Needs Linux, and a superuser's
// DATABASE_URL of an empty database, or starts a server itself. --sql runs before the captures, to leave out a part of the schema.
//   node bench/engine/statement-costs.ts [--events 10000] [--batch 500] [--captures 500] [--bytes 500] [--sql 'drop index ...']
import { randomBytes, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { migrate } from '../../migrations/migrate.ts';
import { readCaptures } from '../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import type { ClaimedEvent } from '../../shared/delivery/leased-event.ts';
import { readMessages } from '../../shared/delivery/messages.ts';
import { settleEvents } from '../../shared/delivery/settle.ts';
import { aSettlement } from '../../test/support/claims.ts';
import { openLeases } from '../lease-due.ts';
import { openServer } from '../peers/server.ts';
import { type Counter, openCounter, unit } from './instructions.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    batch: { type: 'string', default: '500' },
    // Captures in one statement; the default is the batch.
    captures: { type: 'string', default: '' },
    bytes: { type: 'string', default: '500' },
    sql: { type: 'string', default: '' },
  },
});
const [events, batch, bytes] = [Number(values.events), Number(values.batch), Number(values.bytes)];
const captures = Number(values.captures) || batch;
const server = await openServer();
await migrate(server.url);
const db = openDatabase({ kind: 'url', url: server.url, poolMax: 1 }, 'bench');
await db.query({ text: values.sql });

const steps = ['capture', 'claim', 'read messages', 'settle'] as const;
type Step = (typeof steps)[number];
const { pid } = (await db.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })).rows[0] ?? {};
const counters = new Map<Step, Counter>();
for (const step of steps) counters.set(step, await openCounter(pid ?? 0));
const wal = new Map<Step, number>();

await captureAll();
// As autovacuum does within a minute: the generic plans of a table without statistics are others.
await db.query({ text: 'vacuum analyze dlq_events' });
const atRest = await sizeOf('dlq_events');
await drainAll();

console.log(`| step | ${unit} | WAL, bytes |\n|---|---|---|`);
const drained = { instructions: 0, wal: 0 };
for (const step of steps) {
  const cost = {
    instructions: ((await counters.get(step)?.stop()) ?? 0) / events / 1000,
    wal: (wal.get(step) ?? 0) / events,
  };
  if (step !== 'capture') {
    drained.instructions += cost.instructions;
    drained.wal += cost.wal;
  }
  printLine(step, cost);
}
printLine('drain: all but the capture', drained);
await db.query({ text: 'select pg_stat_force_next_flush()' });
const { hot } =
  (
    await db.query<{ hot: number }>({
      text: `select round(100.0 * n_tup_hot_upd / n_tup_upd)::int as hot from pg_stat_user_tables where relname = 'dlq_events'`,
    })
  ).rows[0] ?? {};
console.log(
  `\nBytes at rest: ${atRest}, and ${await sizeOf('dlq_attempts')} of the attempt. Heap-only updates: ${hot} %.`,
);
await db.close();
await server.stop();

function printLine(step: string, cost: { readonly instructions: number; readonly wal: number }): void {
  console.log(`| ${step} | ${cost.instructions.toFixed(1)} | ${cost.wal.toFixed(0)} |`);
}

/** Adds the cost of some work to that of a step. */
async function measure<Result>(step: Step, work: () => Promise<Result>): Promise<Result> {
  const before = await readWal();
  const result = await counters.get(step)?.during(work);
  wal.set(step, (wal.get(step) ?? 0) + (await readWal()) - before);
  return result as Result;
}

async function readWal(): Promise<number> {
  const text = `select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal`;
  return (await db.query<{ wal: number }>({ text })).rows[0]?.wal ?? Number.NaN;
}

async function sizeOf(table: string): Promise<number> {
  const text = `select pg_total_relation_size('${table}')::float8 as size`;
  return Math.round(((await db.query<{ size: number }>({ text })).rows[0]?.size ?? 0) / events);
}

async function captureAll(): Promise<void> {
  for (let n = 0; n < events; n += captures) {
    const reports = Array.from({ length: captures }, (_, i) => readReport(n + i)).flat();
    await measure('capture', () => storeCaptures({ db, repeatSeconds: 600 }, reports));
  }
}

/** A failure as a consumer reports it, of which half compresses. */
function readReport(orderId: number) {
  const rest = Math.max(bytes - 60, 0);
  const note = randomBytes(Math.floor(rest / 4)).toString('hex');
  const payload = JSON.stringify({ orderId, note, lines: 'item '.repeat(Math.floor(rest / 10)) });
  const body = Buffer.from(
    `{"eventType":"order.created","eventId":"${randomUUID()}","payload":${payload},"error":{"message":"timed out"}}`,
  );
  const headers = { 'content-type': 'application/json' };
  return readCaptures({ path: '/', query: new URLSearchParams(), headers, body });
}

/** Delivers everything, as a worker does. */
async function drainAll(): Promise<void> {
  const leaseDue = openLeases(db, batch);
  for (let left = events; left > 0; left -= batch) {
    const { leaseToken, events: leased } = await measure('claim', leaseDue);
    if (leased.length !== batch) throw new Error(`Leased ${leased.length} events of ${batch}.`);
    await deliver(db, leased, leaseToken);
  }
}

async function deliver(db: Database, claimed: readonly ClaimedEvent[], leaseToken: string): Promise<void> {
  const ids = claimed.map(({ id }) => ({ id, leaseToken, target: 'http://shop/' }));
  const reading = { events: ids, maxBytes: 2 ** 15, maxTotal: 2 ** 20 };
  await measure('read messages', () => readMessages(db, reading));
  const settlements = ids.map(({ id }) => ({ ...aSettlement(id, leaseToken), startedAt: new Date() }));
  const settled = await measure('settle', () => settleEvents(db, { runId: '1', settlements }));
  if (settled.length !== batch) throw new Error(`Settled ${settled.length} events of ${batch}.`);
}
