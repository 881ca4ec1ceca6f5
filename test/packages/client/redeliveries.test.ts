import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { deadLetters, type Redelivery, redeliveries } from '../../../packages/client/client.ts';
import { useCapture } from '../../support/capture.ts';
import { useDatabase } from '../../support/database.ts';
import { useServer } from '../../support/server.ts';

const token = '0123456789abcdef0123456789abcdef';

describe('a redelivery', () => {
  const database = useDatabase();
  const capture = useCapture(database);
  const received: Redelivery[] = [];
  let handle: (redelivery: Redelivery) => unknown = () => {};
  const url = useServer(
    redeliveries((redelivery) => {
      received.push(redelivery);
      return handle(redelivery);
    }),
  );
  beforeEach(async () => {
    await database().clear();
    received.length = 0;
    handle = () => {};
  });
  const post = async (headers: Record<string, string>) => {
    const response = await fetch(url(), { method: 'POST', headers, body: new Uint8Array([0, 255]) });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const ours = { 'dlo-event-id': `17.${token}`, 'dlo-attempt': '3', tenant: 'eu' };

  it('reaches the handler with its bytes, headers, id and attempt', async () => {
    assert.equal((await post(ours)).status, 204);
    const [{ body, headers, eventId, attempt } = assert.fail()] = received;
    assert.deepEqual([body, headers.tenant, eventId, attempt], [Buffer.from([0, 255]), 'eu', 'dlo:17', 3]);
  });

  it('that is none is rejected', async () => {
    assert.equal((await post({ 'dlo-event-id': '17' })).status, 400);
    assert.equal(received.length, 0);
  });

  it('is answered by the kind of its failure, with the error and the time to wait', async () => {
    handle = () => {
      throw Object.assign(new Error('no stock'), { kind: 'permanent' });
    };
    assert.equal((await post(ours)).status, 422);
    handle = () => {
      throw Object.assign(new Error('no stock'), { retryAfter: 30 });
    };
    const { status, text, headers } = await post(ours);
    assert.deepEqual([status, text, headers.get('retry-after')], [500, 'Error: no stock', '30']);
  });

  it('is answered whatever its handler throws', async () => {
    const circular = Object.create(null);
    circular.itself = circular;
    const unreadable = new Proxy(new Error(), { get: () => assert.fail('No.') });
    for (const thrown of [undefined, circular, unreadable, { retryAfter: 'a\nb' }]) {
      handle = () => {
        throw thrown;
      };
      assert.equal((await post(ours)).status, 500);
    }
  });

  it('that fails is a recurrence of its event, whatever id its broker gave it', async () => {
    const client = deadLetters({
      ...{ capture: capture().url, consumer: 'billing' },
      from: ([body, eventId, headers]: [string, string, Record<string, string>]) => ({
        body,
        eventId,
        headers,
      }),
    });
    const fail = client.wrap(() => {
      throw new Error('no stock');
    });
    await fail(['text', 'pubsub-1', {}]);
    await database().sql(`update dlq_events set status = 'SUCCEEDED', delivery_count = 1`);
    const [event] = await database().sql<{ id: string; redelivery: string }>(
      `select id::text, id || '.' || replace(redelivery_token::text, '-', '') as redelivery from dlq_events`,
    );
    await fail(['text', 'pubsub-2', { 'dlo-event-id': event?.redelivery ?? '', 'dlo-attempt': '1' }]);
    const events = await database().sql('select id::text, failure_count::int from dlq_events');
    assert.deepEqual(events, [{ id: event?.id, failure_count: 2 }]);
  });
});
