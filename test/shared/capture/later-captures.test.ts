import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';

const report = { origin: 'report', errorReason: 'card declined' } as const satisfies Partial<Capture>;
const bridged = { origin: 'bridge', metadata: { damaged: ['key'] } } as const satisfies Partial<Capture>;
const empty = { ...report, body: Buffer.alloc(0) };

describe('a later capture of an event', () => {
  const database = useDatabase();
  const days = openDays(database);
  beforeEach(days.begin);
  const read = async (id: string) => {
    const [row] = await database().sql<Record<string, unknown>>('select * from dlq_events where id = $1', [
      id,
    ]);
    return row ?? {};
  };
  const change = (id: string, assignments: string) =>
    database().sql(`update dlq_events set ${assignments} where id = $1`, [id]);
  const listRecords = (id: string) =>
    database().sql('select * from dlq_captures where event_id = $1 and not is_original order by id', [id]);

  for (const [what, reason] of Object.entries({
    'the same reason': report,
    'no reason': { errorReason: null },
  }))
    it(`with ${what} adds the class and stack trace that the event lacked`, async () => {
      const { id } = await days.capture(report);
      await days.capture({ ...reason, errorClass: 'CardDeclined', errorStacktrace: 'at pay (pay.ts:7)' });

      const { error_class, error_stacktrace } = await read(id);
      assert.deepEqual([error_class, error_stacktrace], ['CardDeclined', 'at pay (pay.ts:7)']);
    });

  it('adds a stack trace to the class of the event', async () => {
    const { id } = await days.capture({ ...report, errorClass: 'CardDeclined' });
    await days.capture({ errorStacktrace: 'at pay (pay.ts:7)' });

    assert.equal((await read(id)).error_stacktrace, 'at pay (pay.ts:7)');
  });

  it('replaces the answer that stood in for a reason', async () => {
    const { id } = await days.capture();
    await days.deliver(id, false);
    await change(id, `error_reason = 'HTTP 503'`);
    await days.capture({ errorReason: 'card declined' });

    assert.equal((await days.show(id)).reason, 'card declined');
  });

  it('puts an event that it completes into the error group of its own type', async () => {
    const { id } = await days.capture({ ...empty, eventType: 'unknown' });
    const other = await days.capture({ ...report, eventKey: 'id:order-2' });
    await days.capture(report);

    const [completed, expected] = [await read(id), await read(other.id)];
    assert.deepEqual([completed.event_type, completed.fingerprint], ['order.created', expected.fingerprint]);
  });

  it('of another failure forgets how the target answered to the one before', async () => {
    const { id } = await days.capture();
    await days.deliver(id);
    await change(id, 'cause = 4711');
    await days.capture({ publication: days.publication(1) });

    assert.equal((await read(id)).cause, null);
  });

  it('that opens an event again is its latest change', async () => {
    const { id } = await days.capture();
    await days.deliver(id);
    await days.pass(60);
    await days.capture();

    assert.ok(((await read(id)).updated_at as Date) >= days.at(60));
  });

  it('with the message of a damaged copy leaves no word of damage', async () => {
    const { id } = await days.capture({ ...bridged, headers: { tenant: 'a' } });
    await days.capture({ headers: { tenant: 'a', region: 'eu' } });

    const { metadata, headers } = await read(id);
    assert.deepEqual([metadata, headers], [{}, { tenant: 'a', region: 'eu' }]);
  });

  it('with the message of a reprint decides which headers are its own', async () => {
    const { id } = await days.capture({ ...report, headers: { traceparent: 'a', tenant: 'a' } });
    await days.capture({ headers: { tenant: 'a' } });

    assert.deepEqual((await read(id)).arrival, { origin: 'report' });
  });

  it('keeps what the first report told of itself when it brings the message', async () => {
    const { id } = await days.capture({ ...report, deliveryId: 'first' });
    await days.capture({ deliveryId: 'second' });

    assert.deepEqual((await read(id)).arrival, { origin: 'report', delivery_id: 'first' });
  });

  it('from a broker whose clock is ahead is the same failure', async () => {
    const publication = days.publication(-5);
    const { id } = await days.capture({ publication }, 120);
    await days.capture({ publication, deliveryId: 'again' }, 121);

    assert.equal((await days.show(id)).failures, 1);
  });

  it('of another publication is another failure, also right after one of a redelivery', async () => {
    const { id } = await days.capture({ publication: days.publication(null, 'orders/0/5') });
    await days.deliver(id);
    await days.capture({ ...report, ...(await days.redelivered(id)) });
    await days.capture({ publication: days.publication(null, 'orders/0/9') });

    assert.equal((await days.show(id)).failures, 3);
  });

  it('with the same bytes does not store them again', async () => {
    const body = Buffer.from('{"orderId":  1}');
    const { id } = await days.capture({ body });
    await days.deliver(id);
    await days.capture({ body });

    assert.deepEqual(
      (await listRecords(id)).map((row) => row.body),
      [null],
    );
  });

  it('of another consumer contradicts nothing that this one received', async () => {
    await days.capture({ consumerGroup: 'billing' });
    const other = await days.capture({ consumerGroup: 'shipping', body: Buffer.from('{"orderId": 2}') });

    assert.equal(other.conflictsWith, null);
  });

  it('without content takes no delivery id from the honest capture that has it', async () => {
    const { id } = await days.capture();
    await days.capture({ ...empty, deliveryId: 'd-1' });
    await days.deliver(id);
    await days.capture({ deliveryId: 'd-1' });

    assert.equal((await days.show(id)).failures, 2);
    assert.deepEqual(
      (await listRecords(id)).map((row) => row.delivery_id),
      [null, 'd-1'],
    );
  });

  it('records no delivery that never was', async () => {
    const { id } = await days.capture();
    await days.deliver(id);
    await days.capture({ ...report, ...(await days.redelivered(id, 99)) });

    assert.deepEqual(
      (await listRecords(id)).map((row) => row.attempt),
      [1],
    );
  });

  it('adds how often its broker had tried', async () => {
    const { id } = await days.capture();
    await days.capture({ sourceAttempts: 5 });

    assert.equal((await read(id)).source_attempts, 5);
  });

  it('of another failure leaves the time of the retry that is planned', async () => {
    const { id } = await days.capture();
    await change(id, `retry_after = now() + interval '1 hour'`);
    const { retry_after: planned } = await read(id);
    await days.capture({ publication: days.publication(1) });

    const { failure_count, retry_after } = await read(id);
    assert.deepEqual([failure_count, retry_after], [2, planned]);
  });

  it('that makes the bytes exact stores them once', async () => {
    const { id } = await days.capture(report);
    await days.capture({ body: Buffer.from('{"orderId":  1}') });

    assert.deepEqual(
      (await listRecords(id)).map((row) => row.body),
      [null],
    );
  });

  it('makes a reprint exact also after another reason replaced that of the report', async () => {
    const { id } = await days.capture(report);
    await change(id, `error_reason = 'declined again'`);
    await days.capture({ headers: { tenant: 'a' } });

    const { is_exact, headers } = await read(id);
    assert.deepEqual([is_exact, headers], [true, { tenant: 'a' }]);
  });

  it('that is the first report of a failure opens no event that an operator has discarded', async () => {
    const { id } = await days.capture();
    await days.operate([id], 'DISCARDED');
    await days.capture(report);

    const { status, failures, reason } = await days.show(id);
    assert.deepEqual([status, failures, reason], ['DISCARDED', 1, 'card declined']);
  });

  it('of a record of the same time at another position is another failure', async () => {
    const { id } = await days.capture({ publication: days.publication(1, 'orders/0/5') });
    await days.capture({ publication: days.publication(1, 'orders/0/9') });

    assert.equal((await days.show(id)).failures, 2);
  });

  it('keeps metadata that plain SQL has made a text', async () => {
    const { id } = await days.capture(bridged);
    await change(id, `metadata = '"note"'`);
    await days.capture({ headers: { tenant: 'a' } });
    const decided = { metadata: { decided: { maxRetries: 1 } }, maxRetries: 1 };
    await days.capture({ ...report, ...decided, publication: days.publication(1) });

    const { metadata, is_exact, max_retries } = await read(id);
    assert.deepEqual([metadata, is_exact, max_retries], ['note', true, 1]);
  });

  it('is found by the trace that it adds', async () => {
    const [{ id }, other] = [await days.capture(), await days.capture({ eventKey: 'id:order-2' })];
    await days.capture({ traceId: '0af7651916cd43dd8448eb211c80319c' });

    const [{ id_hashes: own }, { id_hashes: without }] = [await read(id), await read(other.id)];
    // Each hash is one character.
    assert.equal([...String(own)].length, [...String(without)].length + 1);
  });
});
