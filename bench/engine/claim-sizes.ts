// The time of a claim of 50 beside more and more closed events: one database per size, in turns. Claims commit, and their events are
// settled as delivered.
//   DATABASE_URL=postgres://... node bench/engine/claim-sizes.ts [sizes]     DATABASE_URL: of a superuser
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import { settleEvents } from '../../shared/delivery/settle.ts';
import { claimEvents } from '../../shared/schedule/due-events.ts';
import { openFronts } from '../../shared/schedule/fronts.ts';
import { listLanes } from '../../shared/schedule/lanes.ts';

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 1_000_000, 5_000_000];
const { DATABASE_URL: server } = process.env;
if (!server) throw new Error('Set DATABASE_URL to the server of a superuser.');
const limit = 50;
const due = 20_000;
const turns = due / limit / 2;
const minutes = { statementMs: 600_000, lockMs: 5000, connectMs: 10_000 };

const admin = new pg.Client({ connectionString: server });
await admin.connect();
const claims = new Map<number, Awaited<ReturnType<typeof openClaims>>>();
for (const size of sizes) claims.set(size, await openClaims(size));
await admin.query('checkpoint');

const times = new Map<number, number[]>(sizes.map((size) => [size, []]));
for (let turn = 0; turn < turns; turn++) {
  for (const [size, { claim }] of claims) times.get(size)?.push(await claim());
}
console.log('| closed events | p50, ms | p99, ms |\n|---|---|---|');
for (const [size, taken] of times) {
  const sorted = taken.toSorted((a, b) => a - b);
  const [half, most] = [0.5, 0.99].map((share) => sorted[Math.floor(sorted.length * share)]?.toFixed(2));
  console.log(`| ${size.toLocaleString('en')} | ${half} | ${most} |`);
}
for (const { close } of claims.values()) await close();
await admin.end();

/** Fills a database; `claim` returns the time of one claim in ms. `close` drops the database. */
async function openClaims(size: number) {
  const name = `dlo_claims_${size}`;
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.query(`create database ${name}`);
  const url = Object.assign(new URL(server ?? ''), { pathname: `/${name}` }).href;
  await migrate(url);
  const db = openDatabase({ kind: 'url', url, poolMax: 1 }, 'bench', minutes);
  for (let first = 0; first < size; first += 250_000) {
    await addEvents(db, { first, count: Math.min(250_000, size - first), status: 'SUCCEEDED' });
  }
  await addEvents(db, { first: size, count: due, status: 'PENDING' });
  await db.query({ text: 'vacuum analyze dlq_events' });
  const lanes = await listLanes(db, { max: 0 });
  const fronts = openFronts(db);
  const dueAt = new Date().toISOString();
  const claim = async () => {
    const leaseToken = randomUUID();
    const found = await fronts.find(lanes, dueAt);
    const about = { route: 0, quota: limit, maxRetries: 240, target: 'http://shop/' };
    const wanted = lanes.map(({ lane }) => ({ lane, ...about, fronts: found.get(lane) }));
    const startedAt = performance.now();
    const lease = { leaseToken, leaseSeconds: 300, maxLost: 5, dueAt };
    const claimed = await claimEvents(db, { runId: '1', lanes: wanted, limit, ...lease });
    const taken = performance.now() - startedAt;
    if (claimed.length !== limit) throw new Error(`${claimed.length} events were claimed.`);
    fronts.advance(claimed, limit);
    await settle(db, claimed, leaseToken);
    return taken;
  };
  const close = async () => {
    await db.close();
    await admin.query(`drop database ${name} with (force)`);
  };
  return { claim, close };
}

async function settle(db: Database, claimed: Awaited<ReturnType<typeof claimEvents>>, leaseToken: string) {
  const settlements = claimed.map(({ id }) => ({
    ...({ id, leaseToken, status: 'SUCCEEDED', isFailure: false } as const),
    ...({ outcome: 'delivered', target: 'http://shop/', startedAt: new Date(), durationMs: 1 } as const),
  }));
  await settleEvents(db, { runId: '1', settlements, maxRecurrences: 10 });
}

/** The events of the day behind each other, of ten error groups. */
async function addEvents(
  db: Database,
  { first, count, status }: { first: number; count: number; status: string },
) {
  await db.query({
    text: `insert into dlq_events
        (event_type, event_key, event_id, payload, status, processed_at, fingerprint, retry_after, created_at, last_failure_at, first_failure_at)
      select 'order.created', 'id:evt-' || n, 'evt-' || n, jsonb_build_object('orderId', n, 'note', repeat('x', 100)),
        $3, case when $3 = 'SUCCEEDED' then now() end, 'v2:00000000000000' || n % 10, at, at, at, at
      from generate_series($1::int, $1::int + $2::int - 1) n
      cross join lateral (select now() - interval '30 days' + n * interval '0.1 s' as at) as times`,
    values: [first, count, status],
  });
}
