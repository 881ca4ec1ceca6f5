import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';

/** More than the captures that one statement stores of one message. */
const count = 25;

describe('equal messages in one statement', () => {
  const database = useDatabase();
  const read = (body: string, headers: Record<string, string> = {}) =>
    readCaptures({ path: '/', query: new URLSearchParams(), headers, body: Buffer.from(body) });
  const store = (captures: ReturnType<typeof read>) =>
    storeCaptures({ db: database().db, maxRecurrences: 3, repeatSeconds: 600 }, captures);
  const storeBatch = (reports: readonly unknown[]) =>
    store(read(reports.map((each) => JSON.stringify(each)).join('\n')));
  const report = { eventType: 'heartbeat', payload: { isUp: true }, error: 'timeout' };
  /** Stores delivered events with the content of the report, and returns what their redeliveries carry. */
  const deliverEvents = async (events: number) => {
    await storeBatch(Array.from({ length: events }, (_, i) => ({ ...report, eventId: `event-${i}` })));
    await database().sql(`update dlq_events set status = 'SUCCEEDED'`);
    const rows = await database().sql<{ id: string; redelivery: string }>(
      'select id, dlq_redelivery(id, redelivery_token) as redelivery from dlq_events order by id',
    );
    return rows;
  };
  const countPending = async () =>
    (await database().sql(`select from dlq_events where status = 'PENDING'`)).length;

  beforeEach(() => database().clear());

  it('are events of their own if they have no id and different times', async () => {
    const times = Array.from({ length: count }, (_, minute) => new Date(Date.UTC(2026, 0, 1, 0, minute)));
    const stored = await storeBatch(times.map((occurredAt) => ({ ...report, occurredAt })));

    assert.equal(new Set(stored.map(({ id }) => id)).size, count);
  });

  it('reopen each event whose redelivery they report', async () => {
    const events = await deliverEvents(count);
    const stored = await storeBatch(
      events.map(({ redelivery }) => ({ ...report, headers: { 'dlo-event-id': redelivery } })),
    );

    assert.deepEqual(
      stored.map(({ id }) => id),
      events.map(({ id }) => id),
    );
    assert.equal(await countPending(), count);
  });

  it('reopen each event if several requests differ only in the redelivery that they report', async () => {
    const events = await deliverEvents(3);
    const requests = events.map(({ redelivery }) =>
      read('{"isUp":true}', { 'dlo-event-id': redelivery, 'dlo-error-reason': 'timeout' }),
    );
    await store(requests.flat());

    assert.equal(await countPending(), 3);
  });
});

describe('a report that names its consumer and a copy that names none', () => {
  const database = useDatabase();
  const copy = { eventKey: 'id:1' };
  const report = {
    eventKey: 'id:1@billing',
    consumerGroup: 'billing',
    contentRank: 1,
    errorReason: 'timeout',
  } as const;
  const store = (...captures: Partial<Capture>[]) =>
    storeCaptures({ db: database().db, maxRecurrences: 3, repeatSeconds: 600 }, captures.map(aCapture));
  beforeEach(() => database().clear());

  for (const [order, captures] of [
    ['the report first', [report, copy]],
    ['the copy first', [copy, report]],
  ] as const) {
    it(`are one event in one statement, ${order}`, async () => {
      await store(...captures);
      const rows = await database().sql('select error_reason, consumer_group from dlq_events');
      assert.deepEqual(rows, [{ error_reason: 'timeout', consumer_group: 'billing' }]);
    });
  }

  it('are two events if they contradict each other', async () => {
    await store(copy, { ...report, body: Buffer.from('{"orderId": 2}') });
    const rows = await database().sql('select event_key from dlq_events order by id');
    assert.deepEqual(rows, [{ event_key: 'id:1' }, { event_key: 'id:1@billing' }]);
  });

  it('are two events if two consumers report it: the first has the copy', async () => {
    const other = { ...report, eventKey: 'id:1@shipping', consumerGroup: 'shipping' };
    await store(copy, report, other);
    const rows = await database().sql('select consumer_group from dlq_events order by id');
    assert.deepEqual(rows, [{ consumer_group: 'billing' }, { consumer_group: 'shipping' }]);
  });
});
