// What the counts cost: ms per statement of capture, claim and settlement, with the triggers that count and without, in
// turns. One connection; the median of all statements of a round, then of the rounds.
//   DATABASE_URL=postgres://... node bench/count-cost/measure.ts [rounds] [events]
import { randomUUID } from 'node:crypto';
import { readCaptures } from '../../functions/capture/read-captures.ts';
import { storeCaptures } from '../../functions/capture/store-captures.ts';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database.ts';
import { claimEvents, type LeasedEvent, listLanes, settleEvents } from '../../shared/events.ts';

const [rounds = 5, events = 10_000] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const db = openDatabase({ kind: 'url', url, poolMax: 1 }, 'bench');

const sizes = [25, 100, 500];
const ways = ['neither', 'age', 'fingerprint', 'counts', 'all'] as const;
type Way = (typeof ways)[number];
const times = new Map<string, number[]>();
for (let round = 0; round <= rounds; round++) {
  for (const size of sizes) {
    for (const way of ways) {
      await prepare(way);
      const measured = await measure(size, Math.min(events, size * 30));
      if (round === 0) continue;
      for (const [act, ms] of Object.entries(measured)) {
        const key = `${act} ${size} ${way}`;
        times.set(key, [...(times.get(key) ?? []), ms]);
      }
    }
  }
}
await db.close();

console.log(`| statement | rows | ${ways.join(' ms | ')} ms |\n|---|---|${'---|'.repeat(ways.length)}`);
for (const act of ['capture', 'claim', 'settle']) {
  for (const size of sizes) {
    const cells = ways.map((way) => median(times.get(`${act} ${size} ${way}`) ?? []).toFixed(2));
    console.log(`| ${act} | ${size} | ${cells.join(' | ')} |`);
  }
}

/** With what each way adds to the table, and without the rest. */
async function prepare(way: Way): Promise<void> {
  const run = (text: string) => db.query({ text });
  const has = (part: Way) => way === part || way === 'all';
  await run('truncate dlq_events, dlq_attempts, dlq_changes');
  await run('drop index if exists dlq_events_age, dlq_events_fingerprint');
  if (has('age'))
    await run(
      'create index dlq_events_age on dlq_events (event_type, created_at) where processed_at is null',
    );
  if (has('fingerprint')) await run('create index dlq_events_fingerprint on dlq_events (fingerprint, id)');
  for (const name of ['captured', 'changed', 'removed', 'truncated']) {
    await run(
      `alter table dlq_events ${has('counts') ? 'enable' : 'disable'} trigger dlq_events_count_${name}`,
    );
  }
  await run('vacuum analyze dlq_events');
}

async function measure(size: number, count: number) {
  const batches = Math.floor(count / size);
  const captures = Array.from({ length: batches }, (_, i) =>
    Array.from({ length: size }, (_, j) => aCapture(i * size + j)),
  );
  const capture: number[] = [];
  for (const batch of captures) capture.push(await time(() => storeCaptures({ db, maxReturns: 10 }, batch)));
  await db.query({ text: 'vacuum analyze dlq_events' });
  const lanes = (await listLanes(db, {})).map(({ lane }) => ({
    lane,
    route: 0,
    quota: size,
    max_retries: 240,
    target: 't',
  }));
  const claim: number[] = [];
  const settle: number[] = [];
  for (let i = 0; i < batches; i++) {
    const leaseToken = randomUUID();
    const lease = { leaseToken, leaseSeconds: 300, dueAt: new Date().toISOString() };
    let claimed: LeasedEvent[] = [];
    claim.push(
      await time(async () => {
        claimed = await claimEvents(db, { runId: '1', lanes: JSON.stringify(lanes), limit: size, ...lease });
      }),
    );
    if (claimed.length !== size) throw new Error(`claimed ${claimed.length} of ${size}`);
    const settlements = JSON.stringify(claimed.map((event, j) => settlement(event, leaseToken, j % 2 === 0)));
    settle.push(
      await time(() => settleEvents(db, { runId: '1', settlements, reports: '[]', maxReturns: 10 })),
    );
  }
  return { capture: median(capture), claim: median(claim), settle: median(settle) };
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function aCapture(n: number) {
  const report = {
    eventType: 'order.created',
    eventId: `e-${n}`,
    payload: { n, note: 'x'.repeat(700) },
    error: {
      message: 'timeout after 3000 ms',
      type: 'TimeoutError',
      stack: `TimeoutError: timeout\n${'    at call (/app/src/client.js:1:2)\n'.repeat(20)}`,
    },
  };
  const [capture] = readCaptures({
    path: '/',
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(report)),
  });
  if (!capture) throw new Error('no capture');
  return capture;
}

function settlement({ id, failure_count }: LeasedEvent, lease_token: string, isDelivered: boolean) {
  return {
    id,
    lease_token,
    failure_count,
    is_failure: !isDelivered,
    target: 't',
    started_at: new Date(),
    duration_ms: 1,
    status: isDelivered ? 'SUCCEEDED' : 'PENDING',
    retry_in_seconds: isDelivered ? null : 3600,
    outcome: isDelivered ? 'delivered' : 'transient',
    failure_kind: isDelivered ? null : 'transient',
    response_status: 200,
    response_body: 'ok',
    error: isDelivered ? null : 'HTTP 503',
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
