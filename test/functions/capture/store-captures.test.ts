import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../functions/capture/message.ts';
import { readCaptures } from '../../../functions/capture/read-captures.ts';
import { storeCaptures } from '../../../functions/capture/store-captures.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';

describe('storing a capture', () => {
  const database = useDatabase();
  const store = (...captures: Partial<Capture>[]) =>
    storeCaptures({ db: database().db, maxReturns: 3 }, captures.map(aCapture));
  const rows = () => database().sql('select * from dlq_events order by id');

  beforeEach(() => database().sql('truncate dlq_events'));

  it('makes one row of the same failure told twice', async () => {
    const [first] = await store({});
    const [second] = await store({});
    assert.deepEqual([first?.is_new, second?.is_new, second?.id === first?.id], [true, false, true]);
    assert.equal((await rows()).length, 1);
  });

  it('makes one row of the same failure told by 100 senders at once', async () => {
    await Promise.all(Array.from({ length: 100 }, () => store({})));
    assert.equal((await rows()).length, 1);
  });

  it('tells two statements with the same events in opposite order apart without a deadlock', async () => {
    const keys = Array.from({ length: 200 }, (_, i) => ({ eventKey: `id:${i}` }));
    await Promise.all([
      store(...keys),
      store(...keys.toReversed()),
      store(...keys),
      store(...keys.toReversed()),
    ]);
    assert.equal((await rows()).length, 200);
  });

  it('completes a copy without a reason by a report that has one', async () => {
    await store({ sourceAttempts: 5 });
    await store({ errorReason: 'card declined', errorClass: 'Declined', errorStacktrace: 'at pay' });
    const [row] = await rows();
    assert.deepEqual(
      [row?.error_reason, row?.error_class, row?.error_stacktrace, row?.source_attempts],
      ['card declined', 'Declined', 'at pay', 5],
    );
  });

  it('lets no later capture erase what an earlier one told', async () => {
    await store({ errorReason: 'card declined', traceId: 'a', metadata: { shop: 1 } });
    await store({ errorReason: 'unknown', traceId: 'b', metadata: { shop: 2, till: 7 } });
    await store({});
    const [row] = await rows();
    assert.deepEqual(
      [row?.error_reason, row?.trace_id, row?.metadata],
      ['card declined', 'a', { shop: 1, till: 7 }],
    );
  });

  it('merges the same event within one request', async () => {
    await store({ sourceAttempts: 5 }, { errorReason: 'card declined' });
    const [row, ...more] = await rows();
    assert.deepEqual([row?.source_attempts, row?.error_reason, more.length], [5, 'card declined', 0]);
  });

  it('takes for text only the JSON that PostgreSQL cannot hold, and not that of its neighbours', async () => {
    const bodies = ['{"n": 1}', '{"n": 1e200000}', '"text"', `${'['.repeat(50_000)}${']'.repeat(50_000)}`];
    await store(...bodies.map((body, i) => ({ eventKey: `id:${i}`, body: Buffer.from(body) })));
    assert.deepEqual(
      (await rows()).map(({ payload_encoding }) => payload_encoding),
      ['json', 'text', 'json', 'text'],
    );
  });

  it('keeps metadata that is nested too deep as the text that it was', async () => {
    const metadata = `{"a": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const body = Buffer.from(`{"eventType": "order", "payload": 1, "metadata": ${metadata}}`);
    const request = { path: '/', query: new URLSearchParams(), headers: {}, body };
    await storeCaptures({ db: database().db, maxReturns: 3 }, readCaptures(request));
    assert.deepEqual((await rows())[0]?.metadata, { text: metadata });
  });

  it('keeps what is discarded and what failed permanently closed', async () => {
    await store({});
    for (const status of ['DISCARDED', 'FAILED_PERMANENTLY']) {
      await database().sql('update dlq_events set status = $1', [status]);
      await store({});
      assert.equal((await rows())[0]?.status, status);
    }
  });
});
