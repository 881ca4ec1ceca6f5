import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { addNotes, type Capture, listDecision } from '../../../shared/capture/message.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { readAll, readCapture } from '../../support/read-capture.ts';

const database = useDatabase();
const storeAll = (captures: readonly Capture[]) =>
  storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
const decided = (facts: Partial<Capture> = {}) => {
  const capture = aCapture(facts);
  return { ...capture, metadata: addNotes(capture.metadata, { decided: listDecision(capture) }) };
};
const store = (facts: Partial<Capture> = {}) => storeAll([decided(facts)]);
const permanent = { errorKind: 'permanent' } as const;
const transient = { errorKind: 'transient' } as const;
const change = (assignments: string) => database().sql(`update dlq_events set ${assignments}`);
const deliver = () => change(`status = 'SUCCEEDED'`);
const report = { origin: 'report' } as const;
/** A later publication of the message. */
const later = () => ({ publication: `${Date.now() + 60_000}@` });
const rows = () =>
  database().sql(
    `select *, round(extract(epoch from retry_after - now()) / 3600)::int as hours from dlq_events order by id`,
  );
const row = async () => {
  const [found, ...others] = await rows();
  assert.equal(others.length, 0);
  return found ?? {};
};
const statusOf = async () => (await row()).status;

beforeEach(() => database().clear());

describe('a failure that its consumer calls permanent', () => {
  it('waits for an operator from its capture on, and is counted as a permanent failure', async () => {
    await store(permanent);
    const { status, failure_kind, processed_at, retry_count, metadata } = await row();
    assert.deepEqual([status, failure_kind, retry_count], ['FAILED_PERMANENTLY', 'permanent', 0]);
    assert.ok(processed_at instanceof Date);
    assert.deepEqual(metadata, { decided: { kind: 'permanent' } });
    const [counts] = await database().sql(
      'select sum(captures)::int as captures, sum(permanent_failures)::int as failures, sum(failed_permanently)::int as now from dlq_count_deltas',
    );
    assert.deepEqual(counts, { captures: 1, failures: 1, now: 1 });
  });

  it('closes an event that waits for its retry', async () => {
    await store({ ...transient, retryAfter: 60 });
    await store({ ...report, ...permanent });
    const { status, failure_kind, failure_count } = await row();
    assert.deepEqual([status, failure_kind, failure_count], ['FAILED_PERMANENTLY', 'permanent', 1]);
  });

  it('does not open a delivered event again, but counts the recurrence', async () => {
    await store();
    await deliver();
    await store(permanent);
    const { status, failure_count } = await row();
    assert.deepEqual([status, failure_count], ['FAILED_PERMANENTLY', 2]);
  });

  it('changes nothing if the delivery is a repetition', async () => {
    await store({ deliveryId: '1' });
    await store({ ...permanent, deliveryId: '1', priority: 3 });
    const { status, failure_kind, priority, metadata } = await row();
    assert.deepEqual([status, failure_kind, priority], ['PENDING', null, 0]);
    assert.equal(metadata, null);
  });

  it('stays one that waits for an operator when the copy of the broker arrives', async () => {
    await store({ ...permanent, origin: 'report' });
    await store();
    assert.equal(await statusOf(), 'FAILED_PERMANENTLY');
  });

  it('does not overrule the report if only the copy of the broker says it', async () => {
    await store({ ...transient, origin: 'report' });
    await store({ ...permanent });
    const { status, failure_kind, metadata } = await row();
    assert.deepEqual([status, failure_kind], ['PENDING', 'transient']);
    assert.deepEqual(metadata, { decided: { kind: 'transient' } });
  });

  it('is open again after a later failure of another kind', async () => {
    for (const kind of [transient, {}]) {
      await store(permanent);
      await store({ ...kind, ...later() });
      assert.equal(await statusOf(), 'PENDING');
      await database().clear('dlq_events');
    }
  });

  it('leaves an event that is being delivered to its worker', async () => {
    await store();
    await change(`status = 'PROCESSING'`);
    await store(permanent);
    const { status, failure_kind, failure_count } = await row();
    assert.deepEqual([status, failure_kind, failure_count], ['PROCESSING', 'permanent', 2]);
  });

  it('does not touch the event that it contradicts', async () => {
    await store();
    await store({ ...permanent, body: Buffer.from('{"orderId": 2}') });
    assert.deepEqual(
      (await rows()).map(({ status }) => status),
      ['PENDING', 'FAILED_PERMANENTLY'],
    );
  });

  it('is not lost among twenty others of its message in one request', async () => {
    const many = Array.from({ length: 25 }, (_, i) => decided({ deliveryId: `${i}` }));
    await storeAll([...many, decided({ ...report, ...permanent, deliveryId: 'last' })]);
    assert.equal(await statusOf(), 'FAILED_PERMANENTLY');
  });
});

describe('the decision of a consumer', () => {
  it('is in the columns of the event, and stays in its metadata', async () => {
    await store({ ...transient, retryAfter: 7200.5, maxRetries: 7, priority: -3, metadata: { shop: 1 } });
    const { status, failure_kind, hours, max_retries, priority, metadata } = await row();
    assert.deepEqual(
      [status, failure_kind, hours, max_retries, priority],
      ['PENDING', 'transient', 2, 7, -3],
    );
    const kept = { kind: 'transient', retryAfter: 7200.5, maxRetries: 7, priority: -3 };
    assert.deepEqual(metadata, { shop: 1, decided: kept });
  });

  it('may be a time; one in the past is now', async () => {
    await store({ retryAfter: new Date(Date.now() + 3_600_000) });
    assert.equal((await row()).hours, 1);
    await deliver();
    await store({ retryAfter: new Date('2020-01-01T00:00:00Z') });
    assert.equal((await row()).hours, 0);
  });

  it('is that of the latest failure', async () => {
    await store({ retryAfter: 3600, priority: 5, deliveryId: '1' });
    await deliver();
    await store({ maxRetries: 9, priority: 2, deliveryId: '2' });
    const { hours, max_retries, priority, metadata } = await row();
    assert.deepEqual([hours, max_retries, priority], [1, 9, 2]);
    assert.deepEqual(metadata, { decided: { maxRetries: 9, priority: 2 } });
  });

  it('about the priority does not overrule an operator unless it is another one', async () => {
    await store({ priority: 5 });
    await change('priority = -10');
    await deliver();
    await store({ priority: 5 });
    assert.equal((await row()).priority, -10);
    await deliver();
    await store({ priority: 6 });
    assert.equal((await row()).priority, 6);
  });

  it('of no retries waits for an operator, at the capture and later', async () => {
    await store({ maxRetries: 0 });
    assert.equal(await statusOf(), 'FAILED_PERMANENTLY');
    await change(`status = 'PENDING', retry_count = 4`);
    await deliver();
    await store({ maxRetries: 6 });
    assert.equal(await statusOf(), 'PENDING');
    await deliver();
    await store({ maxRetries: 6 });
    assert.equal(await statusOf(), 'FAILED_PERMANENTLY');
  });
});

describe('a report', () => {
  const told = { eventType: 'order', eventId: 'evt-1', payload: 1, error: { message: 'm' } };

  it('says the kind in its error, and the rest beside it', async () => {
    const error = { message: 'm', kind: 'transient' };
    await storeAll([readCapture({ ...told, error, retryAfter: '7200', maxRetries: 2, priority: -1 })]);
    const { status, hours, max_retries, priority } = await row();
    assert.deepEqual([status, hours, max_retries, priority], ['PENDING', 2, 2, -1]);
  });

  it('is permanent line by line in a batch', async () => {
    const lines = ['permanent', 'transient', 'permanent'].map((kind, i) =>
      JSON.stringify({ ...told, eventId: `evt-${i}`, error: { message: 'm', kind } }),
    );
    await storeAll(readAll(lines.join('\n'), { 'content-type': 'application/x-ndjson' }));
    assert.deepEqual(
      (await rows()).map(({ status }) => status),
      ['FAILED_PERMANENTLY', 'PENDING', 'FAILED_PERMANENTLY'],
    );
  });

  it('may have any value as a decision: it is kept, named, and never refused', async () => {
    const unusable = [
      { retryAfter: 'soon', maxRetries: -1, priority: 40_000 },
      { retryAfter: -5, maxRetries: 1.5, priority: 'high' },
      { retryAfter: 31_536_001, maxRetries: 2 ** 31, priority: -32_769 },
      { retryAfter: '9999-01-01T00:00:00Z', maxRetries: [3], priority: {} },
      { retryAfter: true, maxRetries: '0x10', priority: 0.5 },
    ];
    for (const [i, values] of unusable.entries()) {
      const error = { message: 'm', kind: ['fatal', 'PERMANENT', 7, {}, 'ambiguous'][i] };
      const capture = readCapture({ ...told, eventId: `evt-${i}`, error, ...values });
      assert.deepEqual(capture.ignored, ['error.kind', 'retryAfter', 'maxRetries', 'priority']);
      assert.deepEqual(capture.metadata, { ignored: { 'error.kind': error.kind, ...values } });
      await storeAll([capture]);
    }
    assert.deepEqual([...new Set((await rows()).map(({ status }) => status))], ['PENDING']);
  });
});
