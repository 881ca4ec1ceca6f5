import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readWorkerRequest, tryRequestWorker } from '../../../shared/delivery/worker-requests.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';

const push = (data: string) => ({ message: { data: Buffer.from(data).toString('base64'), messageId: '1' } });

describe('a request for a worker', () => {
  const pubsub = usePubSubTarget();

  it('contains a run id and nothing else', async () => {
    await tryRequestWorker(pubsub().topic, '42');
    const [message] = pubsub().messages();
    assert.deepEqual([message?.data.toString(), message?.attributes], ['{"runId":"42"}', {}]);
    assert.deepEqual(readWorkerRequest(push(message?.data.toString() ?? '')), { runId: '42' });
  });

  it('is retried if Pub/Sub is unavailable for a moment', async () => {
    pubsub().failNext('Publish', { code: 'UNAVAILABLE' });
    await tryRequestWorker(pubsub().topic, '42');
    assert.equal(pubsub().messages().length, 1);
  });

  it('is distinguished from a tick, whose body is not a push', () => {
    for (const body of [undefined, null, '', 'x', [], {}, { runId: '42' }, Buffer.from('x')]) {
      assert.equal(readWorkerRequest(body), undefined);
    }
  });

  it('without a valid run id names no run', () => {
    const isNumber = /^\{"runId":"[1-9]\d{0,17}"\}$/;
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((runId) => JSON.stringify({ runId })),
    );
    fc.assert(
      fc.property(
        anything,
        (data) => isNumber.test(data) || readWorkerRequest(push(data))?.runId === undefined,
      ),
    );
    assert.deepEqual(readWorkerRequest({ message: {} }), {});
  });
});
