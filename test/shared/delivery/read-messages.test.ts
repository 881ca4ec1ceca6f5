import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { readMessages } from '../../../shared/delivery/messages.ts';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';

describe('a read of messages', () => {
  const database = useDatabase();

  it('returns the first of a list that fit into its limit together, and of the others their size', async () => {
    const leaseToken = randomUUID();
    await manyEvents(database(), 4);
    const claimed = await claim(database(), { leaseToken });
    const events = claimed
      .map(({ id }) => ({ id, leaseToken, target: 'http://shop/' }))
      .toSorted((a, b) => Number(b.id) - Number(a.id));
    const read = (maxTotal: number) => readMessages(database().db, { events, maxBytes: 2 ** 15, maxTotal });
    const sizes = (await read(2 ** 20)).map(({ bytes }) => bytes);
    const [first = 0, second = 0] = sizes;

    const rows = await read(first + second);
    assert.deepEqual(
      rows.map(({ id, isRead, body, payloadText }) => [id, isRead, (body ?? payloadText) !== null]),
      events.map(({ id }, i) => [id, i < 2, i < 2]),
    );
    assert.deepEqual(
      rows.map(({ bytes }) => bytes),
      sizes,
    );
  });
});
