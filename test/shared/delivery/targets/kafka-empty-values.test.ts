import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { readCaptures } from '../../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../../shared/capture/store-captures.ts';
import { queryRows } from '../../../../shared/database/statement.ts';
import type { LeasedEvent } from '../../../../shared/delivery/leased-event.ts';
import { useDatabase } from '../../../support/database.ts';
import { useKafkaBridge } from '../../../support/kafka-bridge.ts';
import { aKafkaRestDelivery } from '../../../support/kafka-rest-delivery.ts';
import { redelivery } from '../../../support/redelivery.ts';
import { send } from '../../../support/send.ts';
import { readBodies } from '../../../support/stored-bodies.ts';

const position = { topic: 'orders', partition: 0, offset: 17, key: null };
const fromBridge = (value: string | null) => ({ ...position, value });

/** How each sender writes the value of a record: null is none, a tombstone. */
const senders: Record<string, (value: string | null) => object> = {
  'a bridge': fromBridge,
  kcat: (payload) => ({ ...position, broker: 1, payload }),
  'a report': (payloadBase64) => ({ eventType: 'order', eventId: '1', payloadBase64, error: 'e' }),
};

describe('a Kafka record of no bytes', () => {
  const database = useDatabase();
  const bridge = useKafkaBridge('confluent-v3');
  beforeEach(() => database().clear());

  const capture = async (json: object): Promise<string | undefined> => {
    const headers = { 'content-type': 'application/vnd.kafka.binary.v2+json' };
    const body = Buffer.from(JSON.stringify(json));
    const captures = readCaptures({ path: '/', query: new URLSearchParams(), headers, body });
    const [stored] = await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
    return stored?.id;
  };
  const redeliver = async (id: string | undefined) => {
    const text = `select *, id::text, ${redelivery} as redelivery from dlq_events where id = $1`;
    const [event] = await queryRows<LeasedEvent>(database().db, { text, values: [id] });
    assert.ok(event);
    const [body = Buffer.alloc(0)] = await readBodies(database(), [event.id]);
    await send(aKafkaRestDelivery('confluent-v3', bridge().url, { event, body }));
    return bridge().records.at(-1)?.value;
  };

  for (const [sender, write] of Object.entries(senders)) {
    it(`is replayed as an empty value or as a tombstone, as it was: ${sender}`, async () => {
      assert.deepEqual(await redeliver(await capture(write(''))), Buffer.alloc(0));
      await database().clear('dlq_events');
      assert.equal(await redeliver(await capture(write(null))), null);
    });
  }

  it('is empty once a capture says so, and a tombstone in its place is another event', async () => {
    const id = await capture({ eventType: 'orders', source: position, error: 'e' });
    assert.equal(await redeliver(id), null);
    assert.equal(await capture(fromBridge('')), id);
    assert.deepEqual(await redeliver(id), Buffer.alloc(0));
    assert.notEqual(await capture(fromBridge(null)), id);
    assert.deepEqual(await redeliver(id), Buffer.alloc(0));
  });
});
