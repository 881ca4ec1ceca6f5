import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { redelivery } from '../../support/redelivery.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

/** A consumer may post a message as it came: the body of each failure is the same. */
const bodies = {
  'names no time': { orderId: 4711 },
  'names a time': {
    before: null,
    after: { id: 4711 },
    source: {
      connector: 'postgresql',
      name: 'shop',
      schema: 'public',
      table: 'orders',
      ts_ms: 1_772_358_000_000,
    },
    op: 'c',
  },
};

describe('a redelivery that fails with the same request', () => {
  const database = useDatabase();
  const target = useHttpTarget();

  const capture = async (body: object, headers: Record<string, string> = {}) => {
    const captures = readCaptures({
      path: '/',
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/json', 'dlo-error-reason': '503', ...headers },
      body: Buffer.from(JSON.stringify(body)),
    });
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
    const [event] = await database().sql<{ status: string; failure_count: number; redelivery: string }>(
      `select status, failure_count, ${redelivery} as redelivery from dlq_events`,
    );
    return event ?? assert.fail('no event was stored');
  };
  const deliver = () => database().sql(`update dlq_events set status = 'SUCCEEDED'`);

  beforeEach(() => database().clear());

  for (const [title, body] of Object.entries(bodies)) {
    it(`is a new failure for each attempt, and one for each: ${title}`, async () => {
      const { redelivery } = await capture(body);
      for (const attempt of [1, 2]) {
        await deliver();
        const headers = { 'dlo-event-id': redelivery, 'dlo-attempt': `${attempt}` };
        const failed = await capture(body, headers);
        assert.deepEqual([failed.status, failed.failure_count], ['PENDING', attempt + 1]);
        await deliver();
        const repeated = await capture(body, headers);
        assert.deepEqual([repeated.status, repeated.failure_count], ['SUCCEEDED', attempt + 1]);
      }
    });
  }

  it('is a new failure of a webhook, too, whose headers each redelivery has', async () => {
    const webhook = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1772358000', 'webhook-signature': 'v1,a' };
    const { redelivery } = await capture({ id: 5 }, webhook);
    for (const attempt of [1, 2]) {
      await deliver();
      const headers = { ...webhook, 'dlo-event-id': redelivery, 'dlo-attempt': `${attempt}` };
      const { status, failure_count } = await capture({ id: 5 }, headers);
      assert.deepEqual([status, failure_count], ['PENDING', attempt + 1]);
    }
  });

  it('is a failed retry told later: it waits for its backoff, and fails permanently after the last one', async () => {
    const body = bodies['names no time'];
    const { redelivery } = await capture(body);
    const routes = [aRouteTo(target().url, { policy: { maxRetries: 2, backoff: { jitter: 'none' } } })];
    const recur = async (attempt: number) => {
      await database().sql(`update dlq_events set retry_after = now() where is_open`);
      await runTick({ db: database().db, retry: retryConfig(), routes });
      const { status } = await capture(body, { 'dlo-event-id': redelivery, 'dlo-attempt': `${attempt}` });
      const [row] = await database().sql(
        `select retry_count, retry_after > now() + interval '50 s' as waits from dlq_events`,
      );
      return { status, ...row };
    };
    const told = { status: 'PENDING', retry_count: 1, waits: true };
    assert.deepEqual(await recur(1), told);
    assert.equal((await recur(2)).status, 'FAILED_PERMANENTLY');
    await database().sql(`update dlq_events set status = 'PENDING', retry_count = 0`);
    assert.deepEqual(await recur(3), told);
  });

  for (const status of [200, 503])
    it(`costs one retry if its consumer reports it before its target answers ${status}`, async () => {
      const body = bodies['names no time'];
      const { redelivery } = await capture(body);
      target().answer = async (_, response) => {
        await capture(body, { 'dlo-event-id': redelivery, 'dlo-attempt': '1' });
        response.writeHead(status).end();
      };
      await database().sql('update dlq_events set retry_after = now()');
      await runTick({ db: database().db, retry: retryConfig(), routes: [aRouteTo(target().url)] });
      assert.deepEqual(await database().sql('select status, retry_count from dlq_events'), [
        { status: 'PENDING', retry_count: 1 },
      ]);
    });

  it('waits for its backoff in a replay after its last retry, and not for ever', async () => {
    const body = bodies['names no time'];
    const { redelivery } = await capture(body);
    await database().sql(`update dlq_events set status = 'FAILED_PERMANENTLY', retry_after = 'infinity'`);
    target().answer = async (_, response) => {
      await capture(body, { 'dlo-event-id': redelivery, 'dlo-attempt': '1' });
      response.end();
    };
    const deps = { db: database().db, retry: retryConfig(), routes: [aRouteTo(target().url)] };
    const { id } = await aRun(deps);
    await workOnReplay(deps, id, { endsAt: Date.now() + 60_000 });
    assert.deepEqual(await database().sql('select status, isfinite(retry_after) from dlq_events'), [
      { status: 'PENDING', isfinite: true },
    ]);
  });

  it('is a new failure after a while if its consumer passed on no attempt', async () => {
    const body = bodies['names a time'];
    const { redelivery } = await capture(body);
    await deliver();
    await capture(body, { 'dlo-event-id': redelivery });
    await deliver();
    await database().sql(`update dlq_events set last_failure_at = now() - interval '11 minutes',
      first_failure_at = now() - interval '12 minutes'`);
    const { status, failure_count } = await capture(body, { 'dlo-event-id': redelivery });
    assert.deepEqual([status, failure_count], ['PENDING', 3]);
  });
});
