// Whether a state change copies the message: what a capture, a claim and a settlement write to the log and out of line, of events
// with a small message and with a large one that cannot be compressed.
//   DATABASE_URL=postgres://... (an empty database, full_page_writes off) node bench/steady-backlog/payloads.ts [events]
import { randomBytes, randomUUID } from 'node:crypto';
import { migrate } from '../../migrations/migrate.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { settleEvents } from '../../shared/delivery/settle.ts';
import { claimEvents } from '../../shared/schedule/due-events.ts';
import { listLanes } from '../../shared/schedule/lanes.ts';
import { aCapture } from '../../test/support/captures.ts';
import { aSettlement, fromBeginning } from '../../test/support/claims.ts';

const [events = 2000] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const db = openDatabase({ kind: 'url', url, poolMax: 1 }, 'bench');
const batch = 100;
const lease = { leaseToken: randomUUID(), leaseSeconds: 300, maxLost: 5 };

console.log('| message | statement | log bytes an event | out of line MB afterwards |\n|---|---|---|---|');
for (const bytes of [200, 20_000]) {
  await db.query({ text: 'truncate dlq_events, dlq_attempts, dlq_count_deltas' });
  for (const [what, action] of Object.entries({ capture: () => capture(bytes), claim, settle })) {
    const before = await readLog();
    await action();
    const perEvent = (await readLog()) - before;
    console.log(`| ${bytes} B | ${what} | ${Math.round(perEvent / events)} | ${await readOutOfLine()} |`);
  }
}
await db.close();

async function capture(bytes: number): Promise<void> {
  for (let from = 0; from < events; from += batch) {
    const captures = Array.from({ length: batch }, (_, i) => {
      const body = Buffer.from(JSON.stringify({ note: randomBytes(bytes * 0.75).toString('base64') }));
      return aCapture({ eventKey: `id:${from + i}`, body, errorReason: 'timeout' });
    });
    await storeCaptures({ db, maxRecurrences: 10, repeatSeconds: 600 }, captures);
  }
}

async function claim(): Promise<void> {
  const about = { route: 0, fronts: fromBeginning, quota: events, maxRetries: 240, target: 't' };
  const lanes = (await listLanes(db, { max: 0 })).map(({ lane }) => ({ lane, ...about }));
  const dueAt = new Date().toISOString();
  for (let n = 0; n < events; n += batch) {
    await claimEvents(db, { runId: '1', lanes, limit: batch, dueAt, ...lease });
  }
}

async function settle(): Promise<void> {
  const { rows } = await db.query<{ id: string }>({ text: 'select id from dlq_events' });
  for (let from = 0; from < events; from += batch) {
    const settlements = rows.slice(from, from + batch).map(({ id }) => aSettlement(id, lease.leaseToken));
    await settleEvents(db, {
      runId: '1',
      settlements,
      maxRecurrences: 10,
    });
  }
}

async function readLog(): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>({
    text: `select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`,
  });
  return rows[0]?.bytes ?? Number.NaN;
}

async function readOutOfLine(): Promise<string> {
  const { rows } = await db.query<{ mb: string }>({
    text: `select round(pg_relation_size(reltoastrelid) / 1e6, 1) as mb from pg_class where oid = 'dlq_events'::regclass`,
  });
  return rows[0]?.mb ?? '';
}
