import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useDatabase } from '../../support/database.ts';
import { openDatabaseLink } from '../../support/database-link.ts';
import { serveFunction } from '../../support/framework.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';

describe('the capture function', () => {
  const database = useDatabase();
  const send = async (url: string, eventId: string) => {
    const body = JSON.stringify({ eventType: 'order', eventId, error: 'failed', payload: {} });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await response.arrayBuffer();
    return response;
  };

  it('answers 503 within seconds when a connection is silent, and meanwhile 200 to other senders', async (context) => {
    const link = await openDatabaseLink(database().url);
    context.after(link.cut);
    const { url, stop } = await serveFunction('capture', { DATABASE_URL: link.url });
    context.after(stop);
    assert.equal((await send(url, 'first')).status, 200);
    link.freeze();
    const order: string[] = [];
    const silent = send(url, 'silent').finally(() => order.push('silent'));
    const other = send(url, 'other').finally(() => order.push('other'));

    assert.deepEqual([(await other).status, (await silent).status], [200, 503]);
    assert.deepEqual(order, ['other', 'silent']);
    assert.equal((await silent).headers.get('retry-after'), '5');
    assert.equal((await send(url, 'silent')).status, 200);
  });

  it('stores other events while the row of one is locked, and that one once it is free', async (context) => {
    const { url, stop } = await serveFunction('capture', { DATABASE_URL: database().url });
    context.after(stop);
    await send(url, 'locked');
    let again: Promise<Response> | undefined;
    const lock = `select from dlq_events where event_id = 'locked' for update`;
    await whileTransactionIsOpen(database().url, lock, async () => {
      again = send(url, 'locked');
      const others = await Promise.all(['a', 'b', 'c', 'd'].map((id) => send(url, id)));
      assert.deepEqual(
        others.map(({ status }) => status),
        [200, 200, 200, 200],
      );
    });

    assert.equal((await again)?.status, 200);
  });
});
