import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { useDatabase } from '../../support/database.ts';
import { type DatabaseLink, openDatabaseLink } from '../../support/database-link.ts';
import { useFunction } from '../../support/framework.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';

describe('the capture function', () => {
  const database = useDatabase();
  let link: DatabaseLink;
  before(async () => {
    link = await openDatabaseLink(database().url);
  });
  after(() => link.cut());
  const capture = useFunction('capture', () => ({ DATABASE_URL: link.url }));
  const send = async (eventId: string) => {
    const body = JSON.stringify({ eventType: 'order', eventId, error: 'failed', payload: {} });
    const response = await fetch(capture().url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await response.arrayBuffer();
    return response;
  };

  it('answers 503 within seconds when a connection is silent, and meanwhile 200 to other senders', async () => {
    assert.equal((await send('first')).status, 200);
    link.freeze();
    // Whichever arrives first gets the silent connection.
    const answers: (readonly [status: number, eventId: string, retryAfter: string | null])[] = [];
    const sendOne = async (eventId: string) => {
      const { status, headers } = await send(eventId);
      answers.push([status, eventId, headers.get('retry-after')]);
    };
    await Promise.all([sendOne('one'), sendOne('other')]);

    assert.deepEqual(
      answers.map(([status, , retryAfter]) => [status, retryAfter]),
      [
        [200, null],
        [503, '5'],
      ],
    );
    assert.equal((await send(answers[1]?.[1] ?? '')).status, 200);
  });

  it('stores other events while the row of one is locked, and that one once it is free', async () => {
    await send('locked');
    let again: Promise<Response> | undefined;
    const lock = `select from dlq_events where event_id = 'locked' for update`;
    await whileTransactionIsOpen(database().url, lock, async () => {
      again = send('locked');
      const others = await Promise.all(['a', 'b', 'c', 'd'].map((id) => send(id)));
      assert.deepEqual(
        others.map(({ status }) => status),
        [200, 200, 200, 200],
      );
    });

    assert.equal((await again)?.status, 200);
  });
});
