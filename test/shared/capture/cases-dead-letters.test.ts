import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aPush, useCases } from '../../support/cases.ts';

describe('a dead letter', () => {
  const cases = useCases();

  it('of Pub/Sub is kept whole if it is a message about an error', async () => {
    const body = '{"eventType":"sms.status","messageSid":"m","error":"unreachable"}';
    const [sent] = await cases.redeliver([{ body: aPush(body) }]);
    assert.equal(sent?.body.toString(), body);
  });

  it('of Cloud Storage has the type of its notification', async () => {
    const attributes = { eventType: 'OBJECT_FINALIZE', objectId: 'in/a b.csv', payloadFormat: 'JSON_API_V1' };
    const dead = {
      CloudPubSubDeadLetterSourceSubscription: 'import',
      CloudPubSubDeadLetterSourceDeliveryCount: '5',
    };
    const [sent] = await cases.redeliver([
      { body: aPush('{"size":"9007199254740993"}', { ...attributes, ...dead }) },
    ]);
    const [row] = await cases.rows();
    assert.deepEqual([row?.event_type, row?.source_attempts], ['OBJECT_FINALIZE', 5]);
    assert.deepEqual(sent?.headers, {
      ...Object.fromEntries(Object.entries(attributes)),
      'content-type': 'application/json',
    });
  });

  it('of Pulsar has the topic, consumer and attempts of the original, and none of their headers', async () => {
    const properties = { REAL_TOPIC: 'persistent://public/default/orders', ORIGIN_MESSAGE_ID: '12:3:0' };
    const more = { RECONSUMETIMES: '5', REAL_SUBSCRIPTION: 'billing', tenant: 'acme' };
    const named = Object.entries({ ...properties, ...more }).map(([name, value]) => [
      `PulsarProperties-${name}`,
      value,
    ]);
    const headers = { PulsarTopic: 'persistent://public/default/orders-DLQ', PulsarMessageId: '1:2:0' };
    const [sent] = await cases.redeliver([
      { headers: { ...headers, ...Object.fromEntries(named) }, body: '{}' },
    ]);
    const [row] = await cases.rows();
    assert.deepEqual(
      [row?.source_topic, row?.consumer_group, row?.source_attempts],
      ['orders', 'billing', 5],
    );
    assert.deepEqual(sent?.headers, { tenant: 'acme', 'content-type': 'application/json' });
  });

  it('of Oban has the reason of its last error', async () => {
    const errors = [
      { at: '2026-11-25T10:00:00Z', attempt: 3, error: '** (RuntimeError) smtp down\n    lib/mailer.ex:10' },
    ];
    const job = {
      id: 12,
      state: 'discarded',
      queue: 'mailers',
      worker: 'App.Mailer',
      args: { id: 7 },
      errors,
    };
    const [row] = await cases.rows({
      body: { ...job, attempt: 3, max_attempts: 3, inserted_at: '2026-11-25T09:00:00' },
    });
    assert.deepEqual([row?.error_reason, row?.event_type], ['** (RuntimeError) smtp down', 'App.Mailer']);
  });

  it('of Laravel has the reason of its row', async () => {
    const exception =
      'QueryException: refused in /app/Connection.php:712\nStack trace:\n#0 /app/Jobs/Charge.php(31): run()';
    const row = {
      id: 5,
      uuid: '9f0c',
      connection: 'redis',
      queue: 'default',
      failed_at: '2026-11-25 10:00:00',
    };
    const [stored] = await cases.rows({ body: { ...row, payload: '{"uuid":"9f0c"}', exception } });
    assert.match(String(stored?.error_reason), /^QueryException: refused/);
    assert.equal(stored?.event_id, '9f0c');
  });
});
