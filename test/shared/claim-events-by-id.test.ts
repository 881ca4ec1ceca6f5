import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { claim, claimById, idsOf } from '../support/claims.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent, manyEvents } from '../support/factories.ts';

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

describe('a claim by id', () => {
  const database = useDatabase();
  beforeEach(() => database().sql('truncate dlq_events'));
  const leasedUntil = (lease_expires_at: Date) =>
    anEvent(database(), { status: 'PROCESSING', lease_token: randomUUID(), lease_expires_at });

  for (const status of ['PENDING', 'FAILED_PERMANENTLY', 'DISCARDED']) {
    it(`takes an event that is ${status}, due or not`, async () => {
      const id = await anEvent(database(), { status, retry_after: inMinutes(60) });

      assert.deepEqual(idsOf(await claimById(database(), [id])), [id]);
    });
  }

  it('takes a delivered event only where that is said', async () => {
    const id = await anEvent(database(), { status: 'SUCCEEDED' });

    assert.deepEqual(await claimById(database(), [id]), []);
    assert.deepEqual(idsOf(await claimById(database(), [id], true)), [id]);
  });

  it('takes an event whose lease has expired and none whose lease is alive', async () => {
    const [expired, alive] = [await leasedUntil(inMinutes(0)), await leasedUntil(inMinutes(1))];

    assert.deepEqual(idsOf(await claimById(database(), [expired, alive])), [expired]);
  });

  it('takes nothing that was not named', async () => {
    await anEvent(database());

    assert.deepEqual(await claimById(database(), ['9223372036854775807']), []);
  });

  it('never gives one event to two people', async () => {
    await manyEvents(database(), 500);
    const ids = idsOf(await database().sql('select id from dlq_events'));

    const claims = await Promise.all([1, 2, 3, 4].map(() => claimById(database(), ids)));

    assert.deepEqual(idsOf(claims.flat()).sort(), ids.sort());
  });

  it('leaves an event due for the next tick if its worker dies, whatever its backoff was', async () => {
    const id = await anEvent(database(), { retry_after: inMinutes(60) });
    await claimById(database(), [id]);
    await database().sql('update dlq_events set lease_expires_at = now()');

    assert.deepEqual(idsOf(await claim(database())), [id]);
  });
});
