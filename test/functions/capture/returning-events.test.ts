import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../functions/capture/message.ts';
import { storeCaptures } from '../../../functions/capture/store-captures.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';

describe('an event that was delivered and fails again', () => {
  const database = useDatabase();
  const store = async (capture: Partial<Capture>) => {
    const [stored] = await storeCaptures({ db: database().db, maxReturns: 3 }, [aCapture(capture)]);
    return stored?.id ?? '';
  };
  const settle = (status: string) => database().sql('update dlq_events set status = $1', [status]);
  const row = async () => {
    const [found, ...others] = await database().sql('select * from dlq_events');
    assert.equal(others.length, 0);
    return found ?? {};
  };

  beforeEach(() => database().sql('truncate dlq_events'));

  it('is open again in its own row, with its retries kept and the failure counted', async () => {
    await store({});
    await database().sql(`update dlq_events set status = 'SUCCEEDED', retry_count = 2`);
    await store({});
    const { status, retry_count, failure_count, processed_at } = await row();
    assert.deepEqual([status, retry_count, failure_count, processed_at], ['PENDING', 2, 2, null]);
  });

  it('is found by the id of its redelivery where its broker gave it a new identity', async () => {
    const id = await store({ eventKey: 'pubsub:s/1', carrierId: '1' });
    await settle('SUCCEEDED');
    const again = await store({ eventKey: 'pubsub:s/2', carrierId: '2', redeliveredId: id });
    assert.equal(again, id);
    assert.equal((await row()).status, 'PENDING');
  });

  it('is found where it is captured under both identities in one statement', async () => {
    const id = await store({ eventKey: 'pubsub:s/1', carrierId: '1' });
    await settle('SUCCEEDED');
    const first = aCapture({ eventKey: 'pubsub:s/1', carrierId: '1' });
    const again = aCapture({ eventKey: 'pubsub:s/2', carrierId: '2', redeliveredId: `00${id}` });
    const stored = await storeCaptures({ db: database().db, maxReturns: 3 }, [first, again]);
    assert.deepEqual(
      stored.map((each) => [each.id, each.event_key]),
      [
        [id, 'pubsub:s/1'],
        [id, 'pubsub:s/2'],
      ],
    );
    const { event_key, status } = await row();
    assert.deepEqual([event_key, status], ['pubsub:s/1', 'PENDING']);
  });

  it('counts once, however often the carrier repeats itself', async () => {
    const id = await store({ eventKey: 'pubsub:s/1', carrierId: '1' });
    await settle('SUCCEEDED');
    const back = { eventKey: 'pubsub:s/2', carrierId: '2', redeliveredId: id };
    await store(back);
    await settle('SUCCEEDED');
    await store(back);
    const { status, failure_count } = await row();
    assert.deepEqual([status, failure_count], ['SUCCEEDED', 2]);
  });

  it('is not taken for returned when Pub/Sub delivers the first capture twice', async () => {
    await store({ eventKey: 'pubsub:s/1', carrierId: '1' });
    await settle('SUCCEEDED');
    await store({ eventKey: 'pubsub:s/1', carrierId: '1' });
    assert.equal((await row()).status, 'SUCCEEDED');
  });

  it('is left to people after so many returns', async () => {
    for (const expected of ['PENDING', 'PENDING', 'PENDING', 'FAILED_PERMANENTLY']) {
      await store({});
      assert.equal((await row()).status, expected);
      await settle('SUCCEEDED');
    }
  });

  it('is a row of its own when its redelivery id is of an event with another content', async () => {
    const foreign = await store({ eventKey: 'id:foreign', body: Buffer.from('{"secret": 1}') });
    await settle('SUCCEEDED');
    const forged = await store({ eventKey: 'id:forged', redeliveredId: foreign });
    assert.notEqual(forged, foreign);
    const [untouched] = await database().sql('select status, failure_count from dlq_events where id = $1', [
      foreign,
    ]);
    assert.deepEqual(untouched, { status: 'SUCCEEDED', failure_count: 1 });
  });
});
