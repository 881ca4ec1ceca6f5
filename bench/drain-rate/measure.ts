// Events per second through claim, a delivery that does nothing, and settlement with its attempts, beside the loop that
// the articles write: claim fifty, one UPDATE for each event. One worker each, in turns.
//   DATABASE_URL=postgres://... node bench/drain-rate/measure.ts [rounds] [events]
import { randomUUID } from 'node:crypto';
import { migrate } from '../../migrations/migrate.ts';
import { type Database, openDatabase } from '../../shared/database.ts';
import {
  claimEvents,
  type LeasedEvent,
  listLanes,
  type Settlement,
  settleEvents,
} from '../../shared/events.ts';

const [rounds = 5, events = 20_000] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const db = openDatabase({ kind: 'url', url, poolMax: 4 }, 'bench');

const ways: Record<string, () => Promise<number>> = {
  'naive, 50': () => drainNaively(db),
  'batches of 50': () => drain(db, 50),
  'batches of 500': () => drain(db, 500),
};
const rates = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, way] of Object.entries(ways)) {
    await fill(db, events);
    const startedAt = performance.now();
    const drained = await way();
    if (drained !== events) throw new Error(`${name}: ${drained} of ${events} events`);
    rates.get(name)?.push((events / (performance.now() - startedAt)) * 1000);
  }
}
await db.close();

const naive = rates.get('naive, 50') ?? [];
console.log('| way | events/s, median | times naive, median of the rounds [least-most] |\n|---|---|---|');
for (const [name, own] of rates) {
  const ratios = own.map((rate, i) => rate / (naive[i] ?? 1)).sort((a, b) => a - b);
  const range = `[${ratios[0]?.toFixed(1)}-${ratios.at(-1)?.toFixed(1)}]`;
  console.log(`| ${name} | ${median(own).toFixed(0)} | ${median(ratios).toFixed(1)} ${range} |`);
}

async function fill({ query }: Database, count: number): Promise<void> {
  await query({ text: 'truncate dlq_events, dlq_attempts' });
  await query({
    text: `insert into dlq_events (event_type, payload, body, error_reason, retry_after)
      select 'order.created', jsonb_build_object('n', n, 'note', repeat('x', 800)), convert_to(repeat('x', 800), 'UTF8'),
        'timeout', now() - interval '1 hour' from generate_series(1, $1::int) n`,
    values: [count],
  });
  await query({ text: 'vacuum analyze dlq_events' });
}

/** As deployed: the next batch is claimed while the last one is being settled. */
async function drain(db: Database, limit: number): Promise<number> {
  const lanes = (await listLanes(db, {})).map(({ lane }) => ({
    lane,
    route: 0,
    quota: limit,
    max_retries: 240,
    target: 't',
  }));
  let settling: Promise<unknown> = Promise.resolve();
  let drained = 0;
  for (;;) {
    const leaseToken = randomUUID();
    const lease = { leaseToken, leaseSeconds: 300, dueAt: new Date().toISOString() };
    const claimed = await claimEvents(db, { runId: '1', lanes: JSON.stringify(lanes), limit, ...lease });
    if (claimed.length === 0) break;
    await settling;
    const settlements = JSON.stringify(claimed.map((event) => delivered(event, leaseToken)));
    settling = settleEvents(db, { runId: '1', settlements, reports: '[]', maxReturns: 10 });
    drained += claimed.length;
  }
  await settling;
  return drained;
}

function delivered({ id, failure_count }: LeasedEvent, lease_token: string): Settlement {
  return {
    id,
    lease_token,
    failure_count,
    status: 'SUCCEEDED',
    is_failure: false,
    retry_in_seconds: null,
    outcome: 'delivered',
    failure_kind: null,
    target: 't',
    started_at: new Date(),
    duration_ms: 1,
    response_status: 200,
    response_body: 'ok',
    error: null,
    goes_back: false,
    skip_reason: null,
    skip_detail: null,
    sent_digest: null,
    fingerprint: null,
  };
}

/** The articles' design taken literally, and without attempts. */
async function drainNaively({ query }: Database): Promise<number> {
  let drained = 0;
  for (;;) {
    const { rows } = await query<{ id: string }>({
      text: `with claimed as (
          select id from dlq_events where status = 'PENDING' and retry_after <= now()
          order by retry_after limit 50 for update skip locked)
        update dlq_events set status = 'PROCESSING', updated_at = now() where id in (select id from claimed) returning *`,
    });
    if (rows.length === 0) return drained;
    for (const { id } of rows) {
      await query({
        name: 'naive',
        text: `update dlq_events set status = 'SUCCEEDED', updated_at = now() where id = $1`,
        values: [id],
      });
    }
    drained += rows.length;
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
