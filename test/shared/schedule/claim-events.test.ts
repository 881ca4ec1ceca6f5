import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { claim, idsOf } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const leasedUntil = (lease_expires_at: Date) => ({
  status: 'PROCESSING',
  lease_token: randomUUID(),
  lease_expires_at,
});

describe('a claim', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const event = (columns = {}) => anEvent(database(), columns);

  it('never leases one event to two workers', async () => {
    await manyEvents(database(), 300);

    const ids: string[] = [];
    for (let left = 300; left > 0; left = 300 - ids.length) {
      const claims = await Promise.all(Array.from({ length: 8 }, () => claim(database())));
      ids.push(...claims.flat().map(({ id }) => id));
    }
    assert.equal(new Set(ids).size, 300);
  });

  it('never takes more events than its limit', async () => {
    await manyEvents(database(), 40);
    await manyEvents(database(), 40, 'invoice.created');

    assert.equal((await claim(database(), { limit: 7 })).length, 7);
  });

  it('takes first the event that has been due longest', async () => {
    const second = await event({ retry_after: minutesAgo(2) });
    const third = await event({ retry_after: minutesAgo(1) });
    const first = await event({ retry_after: minutesAgo(3) });

    const order = [];
    for (let i = 0; i < 3; i++) order.push(...idsOf(await claim(database(), { limit: 1 })));

    assert.deepEqual(order, [first, second, third]);
  });

  it('takes events due at dueAt, and none due later', async () => {
    const dueAt = '2026-01-02T03:04:05.000001Z';
    const due = await event({ retry_after: dueAt });
    await event({ retry_after: '2026-01-02T03:04:05.000002Z' });

    assert.deepEqual(idsOf(await claim(database(), { dueAt })), [due]);
  });

  it('skips events with a valid lease', async () => {
    await event(leasedUntil(minutesAgo(-1)));
    const free = await event();

    assert.deepEqual(idsOf(await claim(database())), [free]);
  });

  it('skips closed events', async () => {
    for (const status of ['SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED']) await event({ status });
    const open = await event();

    assert.deepEqual(idsOf(await claim(database())), [open]);
  });

  it('skips an event that another transaction has locked', async () => {
    const [locked, free] = [await event(), await event()];
    const lock = `select from dlq_events where id = ${locked} for update`;

    await whileTransactionIsOpen(database().url, lock, async () => {
      assert.deepEqual(idsOf(await claim(database())), [free]);
    });
  });

  it('leases an event for leaseSeconds under its token', async () => {
    const leaseToken = randomUUID();
    await event();
    await claim(database(), { leaseToken, leaseSeconds: 90 });

    const lease = 'status, lease_token, (lease_expires_at - updated_at)::text as time';
    const [row] = await database().sql(`select ${lease} from dlq_events`);
    assert.deepEqual(row, { status: 'PROCESSING', lease_token: leaseToken, time: '00:01:30' });
  });
});
