import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { redelivery } from '../../support/redelivery.ts';

describe('storing a capture', () => {
  const database = useDatabase();
  const store = (...captures: Partial<Capture>[]) =>
    storeCaptures({ db: database().db, repeatSeconds: 600 }, captures.map(aCapture));
  const rows = () => database().sql('select * from dlq_events order by id');

  beforeEach(() => database().clear());

  it('inserts one row for a failure that is captured twice', async () => {
    const [first] = await store({});
    const [second] = await store({});
    assert.deepEqual([first?.isNew, second?.isNew, second?.id === first?.id], [true, false, true]);
    assert.equal((await rows()).length, 1);
  });

  it('is new for one of the equal captures of a statement', async () => {
    const [first, second] = await store({ deliveryId: 'd' }, { deliveryId: 'd' });
    assert.deepEqual([first?.isNew, second?.isNew, second?.id === first?.id], [true, false, true]);
  });

  it('inserts one row for a failure that 100 senders report at once', async () => {
    await Promise.all(Array.from({ length: 100 }, () => store({})));
    assert.equal((await rows()).length, 1);
  });

  it('skips an id that another row has', async () => {
    const [{ id } = { id: '0' }] = await store({});
    await database().sql(`select setval('dlq_events_id_seq', $1, false)`, [id]);
    const [other] = await store({ eventKey: 'id:order-2' });
    assert.deepEqual([other?.isNew, Number(other?.id)], [true, Number(id) + 1]);
  });

  it('does not deadlock with a statement that has the same events in opposite order', async () => {
    const keys = Array.from({ length: 200 }, (_, i) => ({ eventKey: `id:${i}` }));
    await Promise.all([
      store(...keys),
      store(...keys.toReversed()),
      store(...keys),
      store(...keys.toReversed()),
    ]);
    assert.equal((await rows()).length, 200);
  });

  for (const [token, eventKey] of Object.entries({ known: 'id:z', 'of a deleted event': 'id:order-1' })) {
    it(`has the order of the batch, also behind a redelivery whose token is ${token}`, async () => {
      await store({ errorReason: 'first' });
      await database().sql(`update dlq_events set status = 'SUCCEEDED'`);
      const [event] = await database().sql<{ token: string }>(
        `select ${redelivery} as token from dlq_events`,
      );
      if (token !== 'known') await database().sql('delete from dlq_events');
      await store(
        { eventKey, origin: 'report', redelivery: event?.token ?? '', errorReason: 'second' },
        { origin: 'report', errorReason: 'third' },
      );
      assert.deepEqual(await database().sql('select error_reason from dlq_events'), [
        { error_reason: 'second' },
      ]);
    });
  }

  it('adds a report without content to the first of the messages that have its id', async () => {
    const [first] = await store({}, { body: Buffer.from('{"orderId": 2}') });
    const [added] = await store({ origin: 'report', body: Buffer.alloc(0), errorReason: 'card declined' });
    assert.equal(added?.id, first?.id);
  });

  it('adds the reason of a report to a copy without one', async () => {
    await store({ sourceAttempts: 5 });
    await store({ errorReason: 'card declined', errorClass: 'Declined', errorStacktrace: 'at pay' });
    const [row] = await rows();
    assert.deepEqual(
      [row?.error_reason, row?.error_class, row?.error_stacktrace, row?.source_attempts],
      ['card declined', 'Declined', 'at pay', 5],
    );
  });

  it('keeps the facts of an earlier capture, and all that later ones say beside it', async () => {
    await store({ errorReason: 'card declined', traceId: 'a', metadata: { shop: 1 } });
    await store({ errorReason: 'unknown', traceId: 'b', metadata: { shop: 2, till: 7 } });
    await store({});
    const [row] = await rows();
    assert.deepEqual([row?.trace_id, row?.metadata], ['a', { shop: 1 }]);
    const [later] = await database().sql<{ facts: Record<string, unknown> }>(
      'select facts from dlq_captures order by id',
    );
    const { error_reason, trace_id, metadata } = later?.facts ?? {};
    assert.deepEqual([error_reason, trace_id, metadata], ['unknown', 'b', { shop: 2, till: 7 }]);
  });

  it('has the reason of the latest failure', async () => {
    await store({ errorReason: 'card declined', errorClass: 'Declined', errorStacktrace: 'at pay' });
    for (const facts of [{ errorReason: 'timeout' }, { errorReason: 'no stock', errorClass: 'Stock' }]) {
      await database().sql(`update dlq_events set status = 'SUCCEEDED'`);
      await store(facts);
    }
    const [row] = await rows();
    assert.deepEqual(
      [row?.error_reason, row?.error_class, row?.error_stacktrace],
      ['no stock', 'Stock', null],
    );
  });

  it('merges captures of one event in one request', async () => {
    await store({ sourceAttempts: 5 }, { errorReason: 'card declined' });
    const [row, ...more] = await rows();
    assert.deepEqual([row?.source_attempts, row?.error_reason, more.length], [5, 'card declined', 0]);
  });

  it('stores as text only the JSON that PostgreSQL cannot hold, and not its neighbours in the statement', async () => {
    const bodies = ['{"n": 1}', '{"n": 1e200000}', '"text"', `${'['.repeat(50_000)}${']'.repeat(50_000)}`];
    bodies.push(`{"n": ${'1'.repeat(140_000)}}`, `{"n": 0.${'1'.repeat(15_990)}e-399}`);
    await store(...bodies.map((body, i) => ({ eventKey: `id:${i}`, body: Buffer.from(body) })));
    assert.deepEqual(
      (await rows()).map(({ payload_encoding }) => payload_encoding),
      ['json', 'text', 'json', 'text', 'text', 'text'],
    );
  });

  it('stores no payload that is much longer than its message, whatever the exponents of its numbers', async () => {
    const bodies = ['1e131071', '-1E+00131071', '1.5e-9999', '1e400'].map((n) => Array(2500).fill(n).join());
    bodies.push(Array(2500).fill('1e+300').join());
    bodies.push(`1.7976931348623157E308, "3e9999", "id-5e9999"`, Array(2500).fill('6.626e-34').join());
    await store(...bodies.map((body, i) => ({ eventKey: `id:${i}`, body: Buffer.from(`[0,${body}]`) })));
    const stored = await database().sql(
      `select payload_encoding, length(payload::text) < 200000 as is_short from dlq_events order by id`,
    );
    const text = { payload_encoding: 'text', is_short: true };
    const json = { payload_encoding: 'json', is_short: true };
    assert.deepEqual(stored, [text, text, text, text, text, json, json]);
  });

  it('stores a member of metadata that is nested too deeply as text, and the others as they are', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const metadata = `{"a": ${deep}, "b": {"c": 1}}`;
    const body = Buffer.from(`{"eventType": "order", "error": "x", "payload": 1, "metadata": ${metadata}}`);
    const request = { path: '/', query: new URLSearchParams(), headers: {}, body };
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, readCaptures(request));
    assert.deepEqual((await rows())[0]?.metadata, { a: deep, b: { c: 1 } });
  });

  for (const metadata of ['null', '"text"', '[1]', '{"otherCaptures": [1], "decided": 2}']) {
    it(`adds captures to an event to which an application gave the metadata ${metadata}`, async () => {
      await store({});
      await database().sql('update dlq_events set metadata = $1', [metadata]);
      await store({ errorReason: 'no such customer', priority: 3 });

      const [row] = await database().sql('select error_reason from dlq_events');
      assert.equal(row?.error_reason, 'no such customer');
    });
  }

  it('opens discarded and permanently failed events again that failed again, and counts the failure', async () => {
    await store({});
    for (const [i, status] of ['DISCARDED', 'FAILED_PERMANENTLY'].entries()) {
      await database().sql('update dlq_events set status = $1', [status]);
      await store({ publication: `${Date.now() + (i + 1) * 60_000}@` });
      const [row] = await rows();
      assert.deepEqual([row?.status, row?.failure_count], ['PENDING', i + 2]);
    }
  });
});
