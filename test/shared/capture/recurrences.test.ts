import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';

describe('a delivered event that is captured again', () => {
  const database = useDatabase();
  const store = async (capture: Partial<Capture>) => {
    const [stored] = await storeCaptures({ db: database().db, maxRecurrences: 3, repeatSeconds: 600 }, [
      aCapture(capture),
    ]);
    return stored?.id ?? '';
  };
  const settle = (status: string) => database().sql('update dlq_events set status = $1', [status]);
  const row = async () => {
    const [found, ...others] = await database().sql('select * from dlq_events');
    assert.equal(others.length, 0);
    return found ?? {};
  };

  const redeliveryOf = async (id: string) => {
    const [event] = await database().sql<{ redelivery: string }>(
      'select dlq_redelivery(id, redelivery_token) as redelivery from dlq_events where id = $1',
      [id],
    );
    return event?.redelivery ?? '';
  };

  beforeEach(() => database().clear());

  it('is reopened in its own row, with its retries kept and the failure counted', async () => {
    await store({});
    await database().sql(`update dlq_events set status = 'SUCCEEDED', retry_count = 2`);
    await store({});
    const { status, retry_count, failure_count, processed_at } = await row();
    assert.deepEqual([status, retry_count, failure_count, processed_at], ['PENDING', 2, 2, null]);
  });

  it('is found by its dlo-event-id if the broker assigned a new id', async () => {
    const id = await store({ eventKey: 'pubsub:s/1', deliveryId: '1' });
    await settle('SUCCEEDED');
    const again = await store({
      eventKey: 'pubsub:s/2',
      deliveryId: '2',
      redelivery: await redeliveryOf(id),
    });
    assert.equal(again, id);
    assert.equal((await row()).status, 'PENDING');
  });

  it('is found if one statement has it under the old and the new id', async () => {
    const id = await store({ eventKey: 'pubsub:s/1', deliveryId: '1' });
    await settle('SUCCEEDED');
    const first = aCapture({ eventKey: 'pubsub:s/1', deliveryId: '1' });
    const again = aCapture({ eventKey: 'pubsub:s/2', deliveryId: '2', redelivery: await redeliveryOf(id) });
    const stored = await storeCaptures({ db: database().db, maxRecurrences: 3, repeatSeconds: 600 }, [
      first,
      again,
    ]);
    assert.deepEqual(
      stored.map((each) => [each.id, each.isNew]),
      [
        [id, false],
        [id, false],
      ],
    );
    const { event_key, status } = await row();
    assert.deepEqual([event_key, status], ['pubsub:s/1', 'PENDING']);
  });

  it('counts one failure if the transport repeats the delivery', async () => {
    const id = await store({ eventKey: 'pubsub:s/1', deliveryId: '1' });
    await settle('SUCCEEDED');
    const recurrence = { eventKey: 'pubsub:s/2', deliveryId: '2', redelivery: await redeliveryOf(id) };
    await store(recurrence);
    await settle('SUCCEEDED');
    await store(recurrence);
    const { status, failure_count } = await row();
    assert.deepEqual([status, failure_count], ['SUCCEEDED', 2]);
  });

  it('stays delivered if Pub/Sub repeats the first delivery', async () => {
    await store({ eventKey: 'pubsub:s/1', deliveryId: '1' });
    await settle('SUCCEEDED');
    await store({ eventKey: 'pubsub:s/1', deliveryId: '1' });
    assert.equal((await row()).status, 'SUCCEEDED');
  });

  it('stays delivered if a transport that no migration knows repeats its key per delivery', async () => {
    const publication = { eventKey: 'new-broker:q/1', isKeyPerDelivery: true };
    await store({ ...publication, deliveryId: '1' });
    await settle('SUCCEEDED');
    await store({ ...publication, deliveryId: '2' });
    const { status, failure_count } = await row();
    assert.deepEqual([status, failure_count], ['SUCCEEDED', 1]);
  });

  const valueOfSink = { eventKey: 'sha256:1', deliveryId: 'request:1', isDeliveryGuessed: true };

  it('is reopened by an equal request if only its content identifies it', async () => {
    await store(valueOfSink);
    await settle('SUCCEEDED');
    await store(valueOfSink);
    const { status, failure_count } = await row();
    assert.deepEqual([status, failure_count], ['PENDING', 2]);
  });

  it('counts a failure that an equal request without an id brings before the delivery is settled', async () => {
    await store(valueOfSink);
    await settle('PROCESSING');
    await store(valueOfSink);
    assert.equal((await row()).failure_count, 2);
  });

  it('stays delivered if a request that names its event is repeated', async () => {
    await store({ ...valueOfSink, eventKey: 'id:1' });
    await settle('SUCCEEDED');
    await store({ ...valueOfSink, eventKey: 'id:1' });
    const { status, failure_count } = await row();
    assert.deepEqual([status, failure_count], ['SUCCEEDED', 1]);
  });

  it('stays discarded if an equal request follows within the time of a repetition', async () => {
    await store(valueOfSink);
    await settle('DISCARDED');
    await store(valueOfSink);
    assert.equal((await row()).status, 'DISCARDED');
  });

  it('is reopened by its dlo-event-id from a transport with a key per delivery', async () => {
    const id = await store({ eventKey: 'new-broker:q/1', isKeyPerDelivery: true, deliveryId: '1' });
    await settle('SUCCEEDED');
    const again = {
      eventKey: 'new-broker:q/2',
      isKeyPerDelivery: true,
      deliveryId: '2',
      redelivery: await redeliveryOf(id),
    };
    assert.equal(await store(again), id);
    assert.equal((await row()).status, 'PENDING');
  });

  it('fails permanently after maxRecurrences', async () => {
    for (const expected of ['PENDING', 'PENDING', 'PENDING', 'FAILED_PERMANENTLY']) {
      await store({});
      assert.equal((await row()).status, expected);
      await settle('SUCCEEDED');
    }
  });

  it('is a new event if its dlo-event-id names an event without its token', async () => {
    const foreign = await store({ eventKey: 'id:foreign', body: Buffer.from('{"secret": 1}') });
    await settle('SUCCEEDED');
    const forged = await store({ eventKey: 'id:forged', redelivery: `${foreign}.${'0'.repeat(32)}` });
    assert.notEqual(forged, foreign);
    const [untouched] = await database().sql('select status, failure_count from dlq_events where id = $1', [
      foreign,
    ]);
    assert.deepEqual(untouched, { status: 'SUCCEEDED', failure_count: 1 });
  });
});
