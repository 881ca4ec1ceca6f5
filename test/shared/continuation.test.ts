import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { callWorker, readCall } from '../../shared/continuation.ts';
import { usePubSubTarget } from '../support/pubsub-target.ts';

const push = (data: string) => ({ message: { data: Buffer.from(data).toString('base64'), messageId: '1' } });

describe('a continuation message', () => {
  const pubsub = usePubSubTarget();

  it('names a run and nothing else', async () => {
    await callWorker(pubsub().topic, '42');
    const [message] = pubsub().messages();
    assert.deepEqual([message?.data.toString(), message?.attributes], ['{"runId":"42"}', {}]);
    assert.deepEqual(readCall(push(message?.data.toString() ?? '')), { runId: '42' });
  });

  it('is sent again where Pub/Sub is away for a moment', async () => {
    pubsub().failNext('Publish', { code: 'UNAVAILABLE' });
    await callWorker(pubsub().topic, '42');
    assert.equal(pubsub().messages().length, 1);
  });

  it('is told from a tick, whose body may be anything but a push', () => {
    for (const body of [undefined, null, '', 'x', [], {}, { runId: '42' }, Buffer.from('x')]) {
      assert.equal(readCall(body), undefined);
    }
  });

  it('that makes no sense names no run, whatever it holds', () => {
    const isNumber = /^\{"runId":"[1-9]\d{0,17}"\}$/;
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((runId) => JSON.stringify({ runId })),
    );
    fc.assert(
      fc.property(anything, (data) => isNumber.test(data) || readCall(push(data))?.runId === undefined),
    );
    assert.deepEqual(readCall({ message: {} }), { runId: undefined });
  });
});
