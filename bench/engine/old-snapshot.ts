// The time of a claim of 50 while a transaction that began before N retries is still open, and that of finding the fronts again.
//   DATABASE_URL=postgres://... node bench/engine/old-snapshot.ts [retries, fewest first]
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { settleEvents } from '../../shared/delivery/settle.ts';
import { claimEvents } from '../../shared/schedule/due-events.ts';
import { openFronts } from '../../shared/schedule/fronts.ts';
import { listLanes } from '../../shared/schedule/lanes.ts';

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [0, 25_000, 100_000];
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const db = openDatabase({ kind: 'url', url, poolMax: 1 }, 'bench');
await db.query({
  text: `insert into dlq_events (event_type, payload, retry_after)
    select 'order.created', jsonb_build_object('orderId', n), now() - interval '1 hour' from generate_series(1, $1::int) n`,
  values: [Math.max(...sizes) + 20_000],
});
await db.query({ text: 'vacuum analyze dlq_events' });
const old = new pg.Client({ connectionString: url });
await old.connect();
await old.query('begin isolation level repeatable read; select from dlq_events limit 1');

const dueAt = new Date().toISOString();
const about = { route: 0, maxRetries: 240, target: 'http://shop/' };
const lanes = (await listLanes(db, { max: 0 })).map(({ lane }) => ({ lane, ...about }));
const fronts = openFronts(db);

console.log('| retries since the snapshot | claim of 50, p50 ms | p99 ms | finding the fronts, ms |');
console.log('|---|---|---|---|');
let retried = 0;
for (const size of sizes) {
  for (; retried < size; retried += 500) await retry(500);
  const searched = await time(() => openFronts(db).find(lanes, dueAt));
  const times: number[] = [];
  for (let n = 0; n < 100; n++) times.push(await retry(50));
  retried += times.length * 50;
  times.sort((a, b) => a - b);
  console.log(`| ${size} | ${times[50]?.toFixed(1)} | ${times[98]?.toFixed(1)} | ${searched.toFixed(0)} |`);
}
await old.end();
await db.close();

/** Claims a batch, and settles it as failed. Returns the time of the claim in ms. */
async function retry(limit: number): Promise<number> {
  const leaseToken = randomUUID();
  const found = await fronts.find(lanes, dueAt);
  const wanted = lanes.map((lane) => ({ ...lane, quota: limit, fronts: found.get(lane.lane) }));
  const lease = { leaseToken, leaseSeconds: 300, maxLost: 5 };
  let claimed: Awaited<ReturnType<typeof claimEvents>> = [];
  const taken = await time(async () => {
    claimed = await claimEvents(db, { runId: '1', lanes: wanted, limit, dueAt, ...lease });
  });
  fronts.advance(claimed, limit);
  if (claimed.length !== limit) throw new Error(`${claimed.length} events were claimed.`);
  const failure = { status: 'PENDING', isFailure: true, retryInSeconds: 3600, outcome: 'transient' } as const;
  const attempt = { target: about.target, startedAt: new Date(), durationMs: 1, error: 'HTTP 503' };
  const settlements = claimed.map(({ id }) => ({ id, leaseToken, failureCount: 1, ...failure, ...attempt }));
  await settleEvents(db, { runId: '1', settlements, maxRecurrences: 10 });
  return taken;
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
