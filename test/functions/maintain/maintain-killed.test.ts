import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { compareDepths, sumHours } from '../../support/counts.ts';
import { type TestDatabase, useDatabase } from '../../support/database.ts';
import { type ServedFunction, serveFunction, useFunction } from '../../support/framework.ts';
import { isItsTurn } from '../../support/taken-in-turn.ts';

const oldEvents = 5000;

/** Closed events of the three months before the last, with the event ids `0`, `1`, ... of reports. */
const fillOldEvents = `
  insert into dlq_events (event_key, event_id, event_type, payload, status, fingerprint,
    created_at, first_failure_at, last_failure_at, processed_at)
  select 'id:' || n, n, 'order.created', '{}', 'SUCCEEDED', 'v1:old', at, at, at, at
  from generate_series(0, ${oldEvents - 1}) n,
    lateral (select now() - interval '32 days' - n * interval '90 days' / ${oldEvents} as at) as time`;

/** Closes open events and makes them forty days older: then they are old enough for the archive. */
const ageEvents = `
  update dlq_events
  set status = 'SUCCEEDED', created_at = created_at - interval '40 days', processed_at = now() - interval '40 days',
    first_failure_at = first_failure_at - interval '40 days', last_failure_at = last_failure_at - interval '40 days'
  where id = any (array(select id from dlq_events where is_open limit 200 for update skip locked))`;

/**
 * Does `work` again and again until the returned function is called, which throws the error of a failed one.
 */
function repeat(work: () => Promise<unknown>): () => Promise<void> {
  let isStopped = false;
  const run = async () => {
    while (!isStopped) await work();
  };
  const running = run();
  running.catch(() => undefined);
  return () => {
    isStopped = true;
    return running;
  };
}

/**
 * Counts, for each event id, how many captures were answered as new. Every other report repeats an earlier
 * one.
 */
function startSender(url: string): {
  readonly stop: () => Promise<void>;
  readonly newOnes: Map<string, number>;
} {
  const ids = Array.from({ length: oldEvents }, (_, n) => `${n}`);
  const newOnes = new Map(ids.map((id) => [id, 1]));
  let sent = 0;
  const send = async () => {
    const eventId = sent++ % 2 ? (ids[Math.floor(Math.random() * ids.length)] ?? '') : `new-${sent}`;
    const report = { eventType: 'order.created', eventId, payload: {}, error: 'timeout' };
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(report) });
    const { events } = (await response.json()) as { events: [{ isNew: boolean }] };
    ids.push(eventId);
    newOnes.set(eventId, (newOnes.get(eventId) ?? 0) + (events[0].isNew ? 1 : 0));
  };
  return { stop: repeat(send), newOnes };
}

/**
 * Lets maintain work, and kills it within 50 ms after it has begun to archive. Returns whether it was still at
 * work.
 */
async function killMaintain(maintain: ServedFunction, { sql }: TestDatabase): Promise<boolean> {
  const archive = `select sum(pg_relation_size(inhrelid)) as bytes from pg_inherits
    where inhparent = 'dlq_events_archive'::regclass`;
  const [before] = await sql(archive);
  let isAtWork = true;
  const answered = fetch(maintain.url, { method: 'POST' }).then(
    () => {
      isAtWork = false;
    },
    () => undefined,
  );
  while (isAtWork && (await sql(archive))[0]?.bytes === before?.bytes) await pause(5);
  await pause(Math.random() * 50);
  await maintain.stop();
  await answered;
  return isAtWork;
}

describe('maintain, killed repeatedly while events are captured and closed', {
  skip: !isItsTurn('maintain'),
}, () => {
  const database = useDatabase();
  const capture = useFunction('capture', () => ({ DATABASE_URL: database().url }));

  it('keeps each captured event in exactly one table, and all counts exact', async () => {
    const { url, sql } = database();
    await sql(fillOldEvents);
    // Before anything is sent: the database is busy only while maintain is.
    const serve = () => serveFunction('maintain', { DATABASE_URL: url });
    const [last, ...killed] = await Promise.all([serve(), serve(), serve(), serve()]);
    const sender = startSender(capture().url);
    const stopAging = repeat(() => sql(ageEvents));
    let killsAtWork = 0;
    for (const maintain of killed) killsAtWork += (await killMaintain(maintain, database())) ? 1 : 0;
    await Promise.all([sender.stop(), stopAging()]);
    await fetch(last.url, { method: 'POST' });
    await last.stop();

    const rows = await sql<{ id: string; event_id: string; is_archived: boolean }>(
      `select id, event_id, false as is_archived from dlq_events
       union all select id, event_id, true from dlq_events_archive`,
    );
    const found = Map.groupBy(rows, ({ event_id }) => event_id);
    assert.deepEqual(new Map([...found].map(([id, { length }]) => [id, length])), sender.newOnes);
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
    assert.equal((await sumHours(database())).captures, rows.length);
    const depths = await compareDepths(database());
    assert.deepEqual(depths.reported, depths.found);
    assert.ok(killsAtWork > 0 && rows.filter((row) => row.is_archived).length >= oldEvents);
  });
});
