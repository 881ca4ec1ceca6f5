import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readWorkerRequest } from '../../../shared/delivery/worker-requests.ts';
import { useApi } from '../../support/api.ts';
import { useDatabase } from '../../support/database.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';
import { retryConfig } from '../../support/routes.ts';

describe('POST /schedule/run', () => {
  const database = useDatabase();
  const pubsub = usePubSubTarget();
  const retry = {
    ...retryConfig(),
    get continueTopic() {
      return pubsub().topic;
    },
  };
  const api = useApi(database, { retry });
  const withoutTopic = useApi(database);
  const audited = () => database().sql('select actor, action, reason from dlq_audit order by id');
  const run = (body: object) => api().post<{ code?: string }>('/schedule/run', body);

  it('asks for a reason', async () => {
    assert.equal((await run({})).status, 400);
    assert.deepEqual(await audited(), []);
  });

  it('requests a tick, and records who did and why', async () => {
    assert.equal((await run({ reason: 'the target is back' })).status, 202);
    const data = pubsub().messages()[0]?.data.toString('base64');
    assert.deepEqual(readWorkerRequest({ message: { data } }), { tick: true });
    assert.deepEqual(await audited(), [
      { actor: 'local:ann', action: 'run tick', reason: 'the target is back' },
    ]);
  });

  it('reports a request that failed, and records none', async () => {
    pubsub().failNext('Publish', { code: 'PERMISSION_DENIED' });
    const { status, body } = await run({ reason: 'again' });
    assert.deepEqual([status, body.code], [503, 'REQUEST_FAILED']);
    assert.equal((await audited()).length, 1);
  });

  it('says what to do where no tick can be requested', async () => {
    const { status, body } = await withoutTopic().post<{ detail: string }>('/schedule/run', { reason: 'x' });
    assert.equal(status, 409);
    assert.match(body.detail, /CONTINUE_TOPIC/);
  });
});
