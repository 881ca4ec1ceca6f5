import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { readCaptures } from '../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { useDatabase } from '../support/database.ts';

describe('a message that dlq_capture reports', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());

  it('fails once with the record at its position in Kafka, which a bridge brings', async () => {
    await database().sql(
      `select dlq_capture(event_type => 'order.created', payload => '{"orderId": 1}', error_reason => 'timeout',
         source_topic => 'a@b', source_partition => 0, source_offset => 5)`,
    );
    const captures = readCaptures({
      path: '/',
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/vnd.kafka.json.v2+json' },
      body: Buffer.from(
        '[{"topic":"a@b","partition":0,"offset":5,"timestamp":1764000000000,"value":{"orderId": 1}}]',
      ),
    });
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
    assert.deepEqual(await database().sql('select failure_count, error_reason from dlq_events'), [
      { failure_count: 1, error_reason: 'timeout' },
    ]);
  });

  it('may be bytes without their JSON: they are JSON, text or base64', async () => {
    const payloads = { '[1]': [1], '[1': '[1', '': '', '[\u00a0][\u00a0]': 'W6BdW6Bd' };
    for (const [body, payload] of Object.entries(payloads)) {
      await database().clear();
      await database().sql(`select dlq_capture(event_type => 'order', payload => null, body => $1)`, [
        Buffer.from(body, 'latin1'),
      ]);
      assert.deepEqual(await database().sql('select payload from dlq_events'), [{ payload }]);
    }
  });
});
