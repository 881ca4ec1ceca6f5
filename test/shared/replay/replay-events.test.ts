import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { listRunEvents } from '../../../shared/replay/list-run-events.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, endLeases, progressOf } from '../../support/runs.ts';

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
  /** Replays named events, and returns what became of those that were selected. */
  const replay = async (ids: string[], named = {}) => {
    const routes = [aRouteTo(target().url, { match: { eventType: 'order.*' } })];
    const deps = { db: database().db, routes, retry: retryConfig({ batchSize: 2 }) };
    const { id, excluded } = await aRun(deps, { filter: { ids, ...named } });
    await workOnReplay(deps, id, { endsAt: Date.now() + 60_000 });
    const listed = await listRunEvents(deps, { runId: id, limit: ids.length });
    const events = listed.map(({ id, outcome, status, explanation }) => ({
      id,
      outcome,
      status,
      explanation,
    }));
    return { id, excluded, events };
  };
  const read = async (columns: string) => (await database().sql(`select ${columns} from dlq_events`))[0];

  for (const status of ['PENDING', 'FAILED_PERMANENTLY', 'DISCARDED']) {
    it(`delivers a ${status} event at once, even if it is not due`, async () => {
      const id = await event({ status, retry_count: 240, retry_after: '2100-01-01' });

      const { events } = await replay([id], { status });
      assert.deepEqual(events, [{ id, outcome: 'delivered', status: 'SUCCEEDED', explanation: null }]);
      assert.deepEqual(await read('status, retry_count'), { status: 'SUCCEEDED', retry_count: 0 });
    });
  }

  it('delivers a delivered event again only if its status is named', async () => {
    const id = await event({ status: 'SUCCEEDED' });
    const { events, excluded } = await replay([id]);
    assert.deepEqual([events, excluded], [[], { delivered: 1 }]);
    assert.equal(target().received.length, 0);

    assert.equal((await replay([id], { status: 'SUCCEEDED' })).events[0]?.outcome, 'delivered');
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

    const failed = { outcome: 'failed', explanation: 'HTTP 503: busy' };
    assert.deepEqual((await replay(ids)).events, [
      { id: ids[0], ...failed, status: 'PENDING' },
      { id: ids[1], ...failed, status: 'PENDING' },
    ]);
  });

  it('skips an event that is being delivered', async () => {
    const id = await event(leased);
    assert.deepEqual((await replay([id])).excluded, { leased: 1 });
    assert.deepEqual(await read('lease_token'), { lease_token: leased.lease_token });
  });

  it('delivers an event whose worker has died', async () => {
    const id = await event();
    await database().sql("update dlq_events set status = 'PROCESSING'");
    await endLeases(database());
    assert.equal((await replay([id])).events[0]?.outcome, 'delivered');
  });

  it('does not change an event without a route', async () => {
    const id = await event({ event_type: 'invoice.created', status: 'FAILED_PERMANENTLY' });
    const before = await read('*');
    assert.deepEqual((await replay([id])).excluded, { 'no-route': 1 });
    assert.deepEqual(await read('*'), before);
  });

  it('delivers all of its events, over several batches', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await event());
    const { id } = await replay([...ids, '987654321']);
    const { selected, delivered } = await progressOf(database(), id);
    assert.deepEqual([selected, delivered], [5, 5]);
  });

  it('is a run with start, end and attempts', async () => {
    const { id: runId } = await replay([await event()]);

    const columns = 'id, trigger, stopped, requested_by, ended_at >= started_at as has_ended';
    const run = { id: runId, trigger: 'replay', stopped: 'all done', requested_by: 'ada', has_ended: true };
    assert.deepEqual(await database().sql(`select ${columns} from dlq_runs`), [run]);
    assert.deepEqual(await database().sql('select run_id from dlq_attempts'), [{ run_id: runId }]);
  });
});
