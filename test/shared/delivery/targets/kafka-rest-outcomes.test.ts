import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findFreePort } from '../../../support/free-port.ts';
import { useKafkaBridge } from '../../../support/kafka-bridge.ts';
import { aKafkaRestDelivery } from '../../../support/kafka-rest-delivery.ts';
import { send } from '../../../support/send.ts';

const refusals = {
  strimzi: [
    [404, 'transient', 'Topic orders not present in metadata after 60000 ms.'],
    [500, 'transient', 'Expiring 1 record(s) for orders-0'],
  ],
  'confluent-v3': [
    [50002, 'transient', 'The message is 2000000 bytes'],
    [50003, 'transient', 'There is no leader for this topic-partition'],
    [40301, 'transient', 'Not authorized to access topics: [orders]'],
    [40403, 'transient', 'This server does not host this topic-partition.'],
    [429001, 'transient', 'Request rate limit exceeded'],
    [40002, 'permanent', 'Error processing message'],
    [42206, 'permanent', 'Payload error.'],
    [413, 'permanent', 'Produce request too large'],
  ],
} as const;

for (const flavor of ['strimzi', 'confluent-v3'] as const) {
  describe(`the outcome of a delivery through ${flavor}`, () => {
    const bridge = useKafkaBridge(flavor);
    const deliver = () => send(aKafkaRestDelivery(flavor, bridge().url));

    for (const [code, expected, reason] of refusals[flavor]) {
      it(`is ${expected} if a 200 reports ${code} for the record`, async () => {
        bridge().failNext(code, reason);

        const { kind, responseStatus, error } = await deliver();
        assert.deepEqual([kind, responseStatus, error], [expected, 200, `error ${code}: ${reason}`]);
      });
    }

    for (const text of [
      '',
      '<html>Sign in</html>',
      '{}',
      '{"offsets":[]}',
      '[]',
      'null',
      '{"offset":null}',
    ]) {
      it(`is ambiguous if the body of a 200 is ${text || 'empty'}`, async () => {
        bridge().answerNext(200, text);

        const { kind, responseBody, error } = await deliver();
        assert.deepEqual([kind, responseBody], ['ambiguous', text]);
        assert.match(error ?? '', /does not say that the record was written/);
      });
    }

    it('is transient if the bridge itself fails', async () => {
      bridge().answerNext(503, '{"error_code":503,"message":"Bridge is overloaded"}');

      const { kind, error } = await deliver();
      assert.equal(kind, 'transient');
      assert.match(error ?? '', /HTTP 503: .*overloaded/);
    });

    it('is permanent if the bridge rejects the request', async () => {
      bridge().answerNext(422, '{"error_code":422,"message":"no"}');

      assert.equal((await deliver()).kind, 'permanent');
    });

    it('is read from an answer longer than its stored part', async () => {
      bridge().failNext(50003, 'x'.repeat(5000));

      const { kind, responseBody } = await deliver();
      assert.deepEqual([kind, responseBody?.length], ['transient', 2000]);
    });
  });
}

describe('the outcome of a delivery through a bridge', () => {
  const bridge = useKafkaBridge('strimzi');

  it('is reported if the bridge gives no reason', async () => {
    bridge().answerNext(200, '{"offsets":[{"error_code":500,"message":null}]}');

    const { error } = await send(aKafkaRestDelivery('strimzi', bridge().url));
    assert.equal(error, 'error 500: no reason given');
  });

  it('is transient if the connection is refused', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;

    assert.equal((await send(aKafkaRestDelivery('strimzi', url))).kind, 'transient');
  });
});

describe('a record that was written without an offset', () => {
  const bridge = useKafkaBridge('confluent-v3');

  it('is delivered if the bridge reports success', async () => {
    bridge().answerNext(200, '{"error_code":200,"partition_id":0}');

    const { kind } = await send(aKafkaRestDelivery('confluent-v3', bridge().url));
    assert.equal(kind, 'delivered');
  });
});
