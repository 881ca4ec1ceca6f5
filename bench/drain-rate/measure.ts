// Events per second through claim, message, a delivery without a target, and settlement with attempts, compared with the loop of the
// articles: claim 50, one UPDATE per event. One worker each, in alternating rounds.
//   DATABASE_URL=postgres://... node bench/drain-rate/measure.ts [rounds] [events]

import { randomUUID } from 'node:crypto';
import { migrate } from '../../migrations/migrate.ts';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import type { ClaimedEvent } from '../../shared/delivery/leased-event.ts';
import { readMessages } from '../../shared/delivery/messages.ts';
import { settleEvents } from '../../shared/delivery/settle.ts';
import type { Settlement } from '../../shared/delivery/settlement.ts';
import { claimEvents } from '../../shared/schedule/due-events.ts';
import { listLanes } from '../../shared/schedule/lanes.ts';
import { fromBeginning } from '../../test/support/claims.ts';

const [rounds = 5, events = 20_000] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const db = openDatabase({ kind: 'url', url, poolMax: 4 }, 'bench');

const loops: Record<string, () => Promise<number>> = {
  'naive, 50': () => drainNaively(db),
  'batches of 50': () => drain(db, 50),
  'batches of 500': () => drain(db, 500),
};
const rates = new Map<string, number[]>(Object.keys(loops).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, loop] of Object.entries(loops)) {
    await fill(db, events);
    const startedAt = performance.now();
    const drained = await loop();
    if (drained !== events) throw new Error(`${name}: ${drained} of ${events} events`);
    rates.get(name)?.push((events / (performance.now() - startedAt)) * 1000);
  }
}
await db.close();

const naive = rates.get('naive, 50') ?? [];
console.log('| loop | events/s, median | times naive, median of the rounds [min-max] |\n|---|---|---|');
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

/** Drains as deployed workers do: the next batch is claimed while the last one is settled. */
async function drain(db: Database, limit: number): Promise<number> {
  const lanes = (await listLanes(db, { max: 0 })).map(({ lane }) => ({
    lane,
    route: 0,
    fronts: fromBeginning,
    quota: limit,
    maxRetries: 240,
    target: 't',
  }));
  let settling: Promise<unknown> = Promise.resolve();
  let drained = 0;
  for (;;) {
    const leaseToken = randomUUID();
    const lease = { leaseToken, leaseSeconds: 300, maxLost: 5, dueAt: new Date().toISOString() };
    const claimed = await claimEvents(db, { runId: '1', lanes, limit, ...lease });
    if (claimed.length === 0) break;
    const events = claimed.map(({ id }) => ({ id, leaseToken }));
    await readMessages(db, { events, runId: '1', maxBytes: 2 ** 15, maxTotal: 2 ** 30 });
    await settling;
    const settlements = claimed.map((event) => delivered(event, leaseToken));
    settling = settleEvents(db, { runId: '1', settlements, maxRecurrences: 10 });
    drained += claimed.length;
  }
  await settling;
  return drained;
}

function delivered({ id, failureCount }: ClaimedEvent, leaseToken: string): Settlement {
  return {
    id,
    leaseToken,
    failureCount,
    status: 'SUCCEEDED',
    isFailure: false,
    retryInSeconds: null,
    outcome: 'delivered',
    failureKind: null,
    target: 't',
    startedAt: new Date(),
    durationMs: 1,
    responseStatus: 200,
    responseBody: 'ok',
    error: null,
    retryAfter: null,
    processedAt: null,
    skipReason: null,
    skipDetail: null,
    sentDigest: null,
    fingerprint: null,
  };
}

/** Drains with the articles' loop, without attempts. */
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
