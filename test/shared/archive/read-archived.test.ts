import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createArchivePartitions } from '../../../shared/archive/archive-closed.ts';
import { readArchived } from '../../../shared/archive/export-month.ts';
import { useDatabase } from '../../support/database.ts';

describe('a page of a month of the archive', () => {
  const database = useDatabase();

  it('ends with the event that reaches its bytes, in slices of 1 MiB', async () => {
    const { db, sql } = database();
    await createArchivePartitions(db, { ahead: 0 });
    await sql(`insert into dlq_events (event_type, payload, error_reason, status)
      select 'large', jsonb_build_object('text', repeat('ü', 700000)), 'down', 'SUCCEEDED' from generate_series(1, 5)`);
    await sql(
      'with moved as (delete from dlq_events returning *) insert into dlq_events_archive select * from moved',
    );
    const month = `${new Date().toISOString().slice(0, 7)}-01`;
    const read = (afterId: string) => readArchived(db, { month, afterId, limit: 200, maxBytes: 2_000_000 });
    const first = await read('0');
    const ids = [...new Set(first.map(({ id }) => id))];
    const lines = Buffer.concat(first.map(({ line }) => line)).toString();
    const events = lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).event);

    assert.equal(ids.length, 2);
    assert.ok(first.every(({ line }) => line.length <= 2 ** 20));
    assert.deepEqual(
      events.map(({ id, payload }) => [String(id), payload.text.length]),
      ids.map((id) => [id, 700_000]),
    );
    assert.equal(new Set((await read(ids[1] ?? '')).map(({ id }) => id)).size, 2);
  });
});
