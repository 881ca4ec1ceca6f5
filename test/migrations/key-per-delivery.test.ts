import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';

describe('dlq_capture_events, for a capture of a delivered event,', () => {
  const database = useDatabase();
  const capture = async (...batch: readonly Record<string, unknown>[]) => {
    const plain = {
      event_type: 'order',
      is_type_told: true,
      body_start: 1,
      body_length: 2,
      content_rank: 4,
      payload_encoding: 'json',
      source_kind: 'test',
    };
    const captures = batch.map((fields) => ({ ...plain, ...fields }));
    const [row] = await database().sql<{ id: string }>(
      'select id from dlq_capture_events($1, $2, 10, 600) order by place',
      [JSON.stringify(captures), Buffer.from('{}')],
    );
    return row?.id;
  };
  const deliver = () => database().sql(`update dlq_events set status = 'SUCCEEDED'`);
  const read = () => database().sql('select status, failure_count from dlq_events order by id');

  beforeEach(() => database().clear());

  const duplicates: Record<string, Record<string, unknown>> = {
    'the key names a delivery': { event_key: 'pubsub:7', is_key_per_delivery: true },
    'the delivery id is the same': { event_key: 'id:7', delivery_id: 'd1' },
  };
  for (const [condition, fields] of Object.entries(duplicates)) {
    it(`counts no recurrence if ${condition}`, async () => {
      await capture(fields);
      await deliver();
      await capture(fields);

      assert.deepEqual(await read(), [{ status: 'SUCCEEDED', failure_count: 1 }]);
    });
  }

  const recurrences: Record<string, Record<string, unknown>> = {
    'the key names the event, whatever it begins with': { event_key: 'pubsub:7', is_key_per_delivery: false },
    'it does not say what the key names': { event_key: 'pubsub:7' },
  };
  for (const [condition, fields] of Object.entries(recurrences)) {
    it(`counts a recurrence if ${condition}`, async () => {
      await capture(fields);
      await deliver();
      await capture(fields);

      assert.deepEqual(await read(), [{ status: 'PENDING', failure_count: 2 }]);
    });
  }

  it('counts a recurrence if only another capture of the batch has a key per delivery', async () => {
    await capture({ event_key: 'id:7' });
    await deliver();
    await capture({ event_key: 'id:7' }, { event_key: 'pubsub:8', is_key_per_delivery: true });

    assert.deepEqual(await read(), [
      { status: 'PENDING', failure_count: 2 },
      { status: 'PENDING', failure_count: 1 },
    ]);
  });

  it('counts a recurrence if it has the id of the redelivery, and a key that names its own delivery', async () => {
    const id = await capture({ event_key: 'pubsub:7', is_key_per_delivery: true });
    await deliver();
    const [event] = await database().sql(
      'select dlq_redelivery(id, redelivery_token) as redelivery from dlq_events where id = $1',
      [id],
    );
    await capture({ event_key: 'pubsub:8', is_key_per_delivery: true, ...event });

    assert.deepEqual(await read(), [{ status: 'PENDING', failure_count: 2 }]);
  });
});
