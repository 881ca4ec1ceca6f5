import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { valuesOf } from '../../../support/http-delivery.ts';
import { useKafkaBridge } from '../../../support/kafka-bridge.ts';
import { aKafkaRestDelivery } from '../../../support/kafka-rest-delivery.ts';
import { token } from '../../../support/leased-event.ts';
import { aToken, useMetadataServer } from '../../../support/metadata-server.ts';
import { send } from '../../../support/send.ts';

type Delivery = Parameters<typeof aKafkaRestDelivery>[2];

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
const tombstone = { event: { payloadEncoding: 'none' }, body: Buffer.alloc(0) } as const;
const paths = {
  strimzi: '/topics/orders',
  'confluent-v3': '/v3/clusters/4L6g3nShT-eMCtK/topics/orders/records',
};

for (const [name, flavor] of [
  ['the bridge of Strimzi', 'strimzi'],
  ["version 3 of Confluent's proxy", 'confluent-v3'],
] as const) {
  describe(`a delivery through ${name}`, () => {
    const bridge = useKafkaBridge(flavor);
    const deliver = async (delivery: Delivery = {}) => {
      const outcome = await send(aKafkaRestDelivery(flavor, bridge().url, delivery));
      assert.equal(outcome.kind, 'delivered', outcome.error);
      const written = bridge().records.at(-1);
      assert.ok(written);
      return { outcome, written };
    };

    it('writes one record to the topic', async () => {
      const { written } = await deliver();

      assert.equal(written.path, paths[flavor]);
      assert.equal(bridge().records.length, 1);
    });

    for (const [what, body] of Object.entries({
      'every byte there is': everyByte,
      'a payload that is empty but there': Buffer.alloc(0),
      'five megabytes': Buffer.alloc(5_000_000, 'x'),
    })) {
      it(`writes exactly the bytes of ${what}`, async () => {
        assert.ok((await deliver({ body })).written.value?.equals(body));
      });
    }

    it('writes the key, or none if the event has none', async () => {
      const keys = [];
      for (const sourceKey of ['kunde-ü', null])
        keys.push((await deliver({ event: { sourceKey } })).written.key);

      assert.deepEqual(keys, [Buffer.from('kunde-ü'), null]);
    });

    it('records the response of the bridge with partition and offset', async () => {
      const { outcome } = await deliver();

      assert.match(outcome.responseBody ?? '', /"offset":0/);
    });
  });
}

for (const flavor of ['strimzi', 'confluent-v3'] as const) {
  describe(`the headers of a record written through ${flavor}`, () => {
    const bridge = useKafkaBridge(flavor);

    it('are those of the event, byte for byte, and dlo-event-id', async () => {
      const headers = { hop: ['a', { base64: everyByte.toString('base64') }, 'a'], empty: '' };
      await send(aKafkaRestDelivery(flavor, bridge().url, { event: { id: '42', headers }, attempt: 3 }));

      assert.deepEqual(bridge().records[0]?.headers, [
        ['hop', Buffer.from('a')],
        ['hop', everyByte],
        ['hop', Buffer.from('a')],
        // Strimzi's bridge rejects an empty header.
        ...(flavor === 'strimzi' ? [] : [['empty', Buffer.alloc(0)]]),
        ['dlo-event-id', Buffer.from(`42.${token}`)],
        ['dlo-attempt', Buffer.from('3')],
      ]);
    });
  });
}

describe('a tombstone written through confluent-v3', () => {
  const bridge = useKafkaBridge('confluent-v3');

  it('has no value', async () => {
    await send(aKafkaRestDelivery('confluent-v3', bridge().url, tombstone));

    assert.deepEqual(
      bridge().records.map(({ value }) => value),
      [null],
    );
  });
});

describe('a tombstone for Strimzi', () => {
  const bridge = useKafkaBridge('strimzi');

  it('is not sent, and its event fails permanently', async () => {
    const { kind, error } = await send(aKafkaRestDelivery('strimzi', bridge().url, tombstone));

    assert.deepEqual([kind, bridge().received], ['permanent', []]);
    assert.match(error ?? '', /cannot write a record without a value/);
  });
});

describe('the request to a bridge', () => {
  const bridge = useKafkaBridge('strimzi');
  const metadata = useMetadataServer();
  const receive = async (delivery: Delivery, path = '') => {
    await send(aKafkaRestDelivery('strimzi', bridge().url + path, delivery));
    return bridge().received.at(-1);
  };

  it('has the configured headers', async () => {
    const request = await receive({ target: { headers: { Authorization: 'Basic ours' } } });

    assert.deepEqual(valuesOf(request?.rawHeaders ?? [], 'authorization'), ['Basic ours']);
  });

  it('has an identity token if the target has an audience', async () => {
    const request = await receive({ target: { audience: 'https://bridge/' } });

    assert.equal(request?.headers.authorization, `Bearer ${aToken('https://bridge/')}`);
    assert.deepEqual(metadata().audiences, ['https://bridge/']);
  });

  it("carries no header of the event, which are the record's", async () => {
    const request = await receive({ event: { headers: { tenant: 'acme' } } });

    assert.equal(request?.headers.tenant, undefined);
  });

  it('extends the path of the bridge', async () => {
    assert.equal((await receive({}, 'kafka/'))?.path, '/kafka/topics/orders');
  });
});
