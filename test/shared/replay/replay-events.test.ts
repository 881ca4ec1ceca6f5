import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { type ReplayRequest, replayEvents } from '../../../shared/replay/replay-events.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { endLeases } from '../../support/runs.ts';

const leased = {
  status: 'PROCESSING',
  lease_token: randomUUID(),
  lease_expires_at: '2100-01-01',
};

describe('a replay', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const event = (columns = {}) => anEvent(database(), columns);
  const replay = (ids: string[], more: Partial<ReplayRequest> = {}) => {
    const routes = [aRouteTo(target().url, { match: { eventType: 'order.*' } })];
    const retry = retryConfig({ batchSize: 2 });
    return replayEvents(
      { db: database().db, routes, retry },
      { ids, includeSucceeded: false, ...more },
      'ada',
    );
  };
  const read = async (columns: string) => (await database().sql(`select ${columns} from dlq_events`))[0];

  for (const status of ['PENDING', 'FAILED_PERMANENTLY', 'DISCARDED']) {
    it(`delivers a ${status} event at once, even if it is not due`, async () => {
      const id = await event({ status, retry_count: 240, retry_after: '2100-01-01' });

      assert.deepEqual((await replay([id])).events, [{ id, result: 'delivered', status: 'SUCCEEDED' }]);
      assert.deepEqual(await read('status, retry_count'), { status: 'SUCCEEDED', retry_count: 0 });
    });
  }

  it('delivers a delivered event again only with includeSucceeded', async () => {
    const id = await event({ status: 'SUCCEEDED' });
    const reason = 'It was delivered already: set "includeSucceeded" to deliver it again.';
    assert.deepEqual((await replay([id])).events, [{ id, result: 'skipped', status: 'SUCCEEDED', reason }]);
    assert.equal(target().received.length, 0);

    assert.equal((await replay([id], { includeSucceeded: true })).events[0]?.result, 'delivered');
    assert.equal(target().received.length, 1);
  });

  it('that fails keeps the reason of its event beside the answer of the target', async () => {
    target().answer = (_, response) => response.writeHead(422).end('no total');
    const id = await event({ error_reason: 'timeout', fingerprint: 'v1:first' });
    await replay([id]);

    assert.deepEqual(await read('status, error_reason, fingerprint, answer'), {
      status: 'FAILED_PERMANENTLY',
      error_reason: 'timeout',
      fingerprint: 'v1:first',
      answer: 'HTTP 422: no total',
    });
  });

  it('reports why an event failed again, and its status, with retries that begin anew', async () => {
    target().answer = (_, response) => response.writeHead(503).end('busy');
    const ids = [await event(), await event({ status: 'FAILED_PERMANENTLY', retry_count: 240 })];

    const failed = { result: 'failed', reason: 'target: HTTP 503: busy' };
    assert.deepEqual((await replay(ids)).events, [
      { id: ids[0], ...failed, status: 'PENDING' },
      { id: ids[1], ...failed, status: 'PENDING' },
    ]);
  });

  it('skips an event that is being delivered', async () => {
    const id = await event(leased);
    const reason = 'It is being delivered now.';

    assert.deepEqual((await replay([id])).events, [{ id, result: 'skipped', status: 'PROCESSING', reason }]);
    assert.deepEqual(await read('lease_token'), { lease_token: leased.lease_token });
  });

  it('delivers an event whose worker has died', async () => {
    const id = await event();
    await database().sql("update dlq_events set status = 'PROCESSING'");
    await endLeases(database());
    assert.equal((await replay([id])).events[0]?.result, 'delivered');
  });

  it('does not change an event without a route', async () => {
    const id = await event({ event_type: 'invoice.created', status: 'FAILED_PERMANENTLY' });
    const before = await read('*');
    const { events } = await replay([id]);

    const reason = 'No route matches it: configure one.';
    assert.deepEqual(events, [{ id, result: 'skipped', status: 'FAILED_PERMANENTLY', reason }]);
    assert.deepEqual(await read('*'), before);
  });

  it('reports an id without an event', async () => {
    const reason = 'No such event exists.';

    assert.deepEqual((await replay(['987654321'])).events, [{ id: '987654321', result: 'skipped', reason }]);
  });

  it('returns a result for each event in the requested order, over several batches', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await event());
    const requested = [ids[3], '987654321', ids[0], ids[4], ids[2], ids[1]].map(String);

    const { events, progress } = await replay(requested);
    assert.deepEqual(
      events.map(({ id }) => id),
      requested,
    );
    assert.deepEqual([progress.selected, progress.delivered], [5, 5]);
  });

  it('is a run with start, end and attempts', async () => {
    const { runId } = await replay([await event()]);

    const columns = 'id, trigger, stopped, requested_by, ended_at >= started_at as has_ended';
    const run = { id: runId, trigger: 'replay', stopped: 'all done', requested_by: 'ada', has_ended: true };
    assert.deepEqual(await database().sql(`select ${columns} from dlq_runs`), [run]);
    assert.deepEqual(await database().sql('select run_id from dlq_attempts'), [{ run_id: runId }]);
  });
});
