import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { useDatabase } from '../../support/database.ts';

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

  const capture = async (body: object, headers: Record<string, string> = {}) => {
    const captures = readCaptures({
      path: '/',
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/json', 'dlo-error-reason': '503', ...headers },
      body: Buffer.from(JSON.stringify(body)),
    });
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
    const [event] = await database().sql<{ status: string; failure_count: number; redelivery: string }>(
      'select status, failure_count, dlq_redelivery(id, redelivery_token) as redelivery from dlq_events',
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

  it('recurs as often as before once an operator opens the event again', async () => {
    const body = bodies['names no time'];
    const { redelivery } = await capture(body);
    const recur = async (attempt: number) => {
      await deliver();
      return (await capture(body, { 'dlo-event-id': redelivery, 'dlo-attempt': `${attempt}` })).status;
    };
    for (let attempt = 1; attempt < 10; attempt++) assert.equal(await recur(attempt), 'PENDING');
    assert.equal(await recur(10), 'FAILED_PERMANENTLY');
    await database().sql(`update dlq_events set status = 'PENDING'`);
    for (let attempt = 11; attempt < 21; attempt++)
      assert.equal(await recur(attempt), 'PENDING', `${attempt}`);
    assert.equal(await recur(21), 'FAILED_PERMANENTLY');
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
