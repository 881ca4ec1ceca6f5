import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readWorkerRequest } from '../../../../shared/delivery/worker-requests.ts';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';
import { anEvent } from '../../../support/factories.ts';
import { usePubSubTarget } from '../../../support/pubsub-target.ts';
import { aRouteTo, retryConfig } from '../../../support/routes.ts';

describe('a replay that the API creates', () => {
  const database = useDatabase();
  const pubsub = usePubSubTarget();
  const retry = {
    ...retryConfig(),
    get continueTopic() {
      return pubsub().topic;
    },
  };
  const api = useApi(database, { routes: [aRouteTo('http://shop/')], retry });
  const listRequests = () =>
    pubsub()
      .messages()
      .map(({ data }) => readWorkerRequest({ message: { data: data.toString('base64') } }));

  it('requests a worker once, and another one when it is resumed', async () => {
    await anEvent(database());
    const request = { filter: { status: 'PENDING' }, reason: 'payments are back' };
    const create = () => api().post<{ id: string }>('/runs', request, { 'idempotency-key': 'k' });
    const { id } = (await create()).body;
    await create();
    await api().post(`/runs/${id}/pause`, {});
    assert.deepEqual(listRequests(), [{ runId: id }]);

    await api().post(`/runs/${id}/resume`, {});
    assert.deepEqual(listRequests(), [{ runId: id }, { runId: id }]);
  });

  it('requests none if there is nothing to replay', async () => {
    const request = { filter: { eventType: 'none' }, reason: 'payments are back' };
    assert.equal((await api().post('/runs', request)).status, 201);
    assert.deepEqual(listRequests(), []);
  });

  it('is paused and resumed without a reason, which is then not known', async () => {
    const audited = await database().sql(
      `select action, reason from dlq_audit where action <> 'create run' order by id`,
    );
    assert.deepEqual(audited, [
      { action: 'pause run', reason: null },
      { action: 'resume run', reason: null },
    ]);
  });
});
