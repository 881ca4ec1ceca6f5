// The cost of counting and of the indexes for it: CPU time of the database per statement and WAL per event of capture,
// claim and settlement, with each of them, with all that the migrations create, and with none, in turns. CPU time does not
// depend on the other load of the machine; the database must run here, on Linux. "index by lease" is the alternative to
// counting leases: it is not among "all".
//   DATABASE_URL=postgres://... node bench/count-cost/measure.ts [rounds] [statements]

import { readFileSync } from 'node:fs';
import { migrate } from '../../migrations/migrate.ts';
import { readCaptures } from '../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { openDatabase } from '../../shared/database/database.ts';
import type { ClaimedEvent } from '../../shared/delivery/leased-event.ts';
import { settleEvents } from '../../shared/delivery/settle.ts';
import type { Settlement } from '../../shared/delivery/settlement.ts';
import { delivered, openLeases } from '../lease-due.ts';

const [rounds = 5, statements = 40] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const db = openDatabase({ kind: 'url', url, poolMax: 1 }, 'bench');

const sizes = [25, 100, 500];
const variants = [
  'none',
  'index by age',
  'index by fingerprint',
  'index by lease',
  'triggers',
  'all',
] as const;
type Variant = (typeof variants)[number];
type Cost = { readonly cpuMs: number; readonly walBytes: number };

const costs = new Map<string, Cost[]>();
for (let round = 0; round <= rounds; round++) {
  for (const size of sizes) {
    for (const variant of variants) {
      await prepare(variant);
      for (const [action, cost] of Object.entries(await measure(size))) {
        const key = `${action} ${size} ${variant}`;
        if (round > 0) costs.set(key, [...(costs.get(key) ?? []), cost]);
      }
    }
  }
}
await db.close();

for (const [unit, read] of [
  ['CPU ms per statement', ({ cpuMs }: Cost) => cpuMs.toFixed(2)],
  ['WAL bytes per event', ({ walBytes }: Cost) => walBytes.toFixed(0)],
] as const) {
  console.log(
    `\n${unit}\n\n| statement | events | ${variants.join(' | ')} |\n|---|---|${'---|'.repeat(variants.length)}`,
  );
  for (const action of ['capture', 'claim', 'settle']) {
    for (const size of sizes) {
      const cells = variants.map((variant) => read(median(costs.get(`${action} ${size} ${variant}`) ?? [])));
      console.log(`| ${action} | ${size} | ${cells.join(' | ')} |`);
    }
  }
}

/** Gives the table the triggers and indexes of a variant, and removes the others. */
async function prepare(variant: Variant): Promise<void> {
  const run = (text: string) => db.query({ text });
  const has = (part: Variant) => variant === part || variant === 'all';
  await run('truncate dlq_events, dlq_attempts, dlq_count_deltas');
  await run('drop index if exists dlq_events_age, dlq_events_fingerprint, dlq_events_lease');
  if (has('index by age')) {
    await run(
      'create index dlq_events_age on dlq_events (event_type, created_at) where processed_at is null',
    );
  }
  if (has('index by fingerprint')) {
    await run('create index dlq_events_fingerprint on dlq_events (fingerprint, id)');
  }
  if (variant === 'index by lease') {
    await run(
      'create index dlq_events_lease on dlq_events (lease_expires_at) where lease_expires_at is not null',
    );
  }
  for (const name of ['captured', 'changed', 'removed', 'truncated']) {
    await run(
      `alter table dlq_events ${has('triggers') ? 'enable' : 'disable'} trigger dlq_events_count_${name}`,
    );
  }
  await run('vacuum analyze dlq_events');
}

async function measure(size: number): Promise<Record<string, Cost>> {
  const batches = Array.from({ length: statements }, (_, i) =>
    Array.from({ length: size }, (_, j) => aCapture(i * size + j)),
  );
  const capture = await costOf(size, async () => {
    for (const batch of batches) await storeCaptures({ db, maxRecurrences: 10, repeatSeconds: 600 }, batch);
  });
  await db.query({ text: 'vacuum analyze dlq_events' });
  const leased: Awaited<ReturnType<ReturnType<typeof openLeases>>>[] = [];
  const leaseDue = openLeases(db, size);
  const claim = await costOf(size, async () => {
    for (let i = 0; i < statements; i++) leased.push(await leaseDue());
  });
  const settle = await costOf(size, async () => {
    for (const { leaseToken, events } of leased) {
      const settlements = events.map((event, i) => aSettlement(event, leaseToken, i % 2 === 0));
      const params = { runId: '1', settlements };
      await settleEvents(db, params);
    }
  });
  return { capture, claim, settle };
}

async function costOf(size: number, work: () => Promise<void>): Promise<Cost> {
  const before = await readMeters();
  await work();
  const after = await readMeters();
  const walBytes = (after.wal - before.wal) / (statements * size);
  return { cpuMs: (after.cpuMs - before.cpuMs) / statements, walBytes };
}

/** CPU time of the one backend of the pool, and the end of the log. */
async function readMeters(): Promise<{ cpuMs: number; wal: number }> {
  const { rows } = await db.query<{ pid: number; wal: number }>({
    text: `select pg_backend_pid() as pid, (pg_current_wal_insert_lsn() - '0/0')::float8 as wal`,
  });
  const fields = readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ');
  return { cpuMs: Number(fields[0]) / 1e6, wal: rows[0]?.wal ?? Number.NaN };
}

function aCapture(n: number) {
  const stack = `TimeoutError: no answer\n${'    at call (/app/src/client.js:1:2)\n'.repeat(20)}`;
  const report = {
    eventType: 'order.created',
    eventId: `event-${n}`,
    payload: { n, note: 'x'.repeat(700) },
    error: { message: `no answer after ${n % 7} ms`, type: 'TimeoutError', stack },
  };
  const [capture] = readCaptures({
    path: '/',
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(report)),
  });
  if (!capture) throw new Error('A report is one capture.');
  return capture;
}

function aSettlement(event: ClaimedEvent, leaseToken: string, isDelivered: boolean): Settlement {
  const settlement = delivered(event, leaseToken);
  if (isDelivered) return settlement;
  const failure = { status: 'PENDING', outcome: 'transient', failureKind: 'transient' } as const;
  return { ...settlement, ...failure, retryInSeconds: 3600, answer: 'HTTP 503: down' };
}

function median(costs: readonly Cost[]): Cost {
  const middle = (numbers: number[]) =>
    numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
  return {
    cpuMs: middle(costs.map(({ cpuMs }) => cpuMs)),
    walBytes: middle(costs.map(({ walBytes }) => walBytes)),
  };
}
