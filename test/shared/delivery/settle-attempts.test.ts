import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import type { Settlement } from '../../../shared/delivery/settlement.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { redelivery } from '../../support/redelivery.ts';

describe('the attempts of an event', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const token = randomUUID();
  const attempt = async (id: string, more: Partial<Settlement> = {}) => {
    await claim(database(), { leaseToken: token });
    const settlements = [aSettlement(id, token, more)];
    return settleEvents(database().db, { runId: '7', settlements });
  };
  const failed = { outcome: 'transient', status: 'PENDING', retryInSeconds: 0 } as const;

  it('record the delivery, its time and the response of the target', async () => {
    const id = await anEvent(database());
    const error = 'HTTP 503: busy';
    await attempt(id, { ...failed, responseStatus: 503, responseBody: 'busy', answer: error });

    const [row] = await database().sql('select * from dlq_attempts');
    assert.deepEqual(row, {
      id: row?.id,
      event_id: id,
      run_id: '7',
      number: 1,
      outcome: 'transient',
      target: 'http://shop/',
      started_at: new Date('2026-01-02T03:04:05Z'),
      duration_ms: 12,
      response_status: 503,
      response_body: 'busy',
      error,
    });
  });

  it('began before they were settled, also by a worker whose clock is hours ahead', async () => {
    await attempt(await anEvent(database()), { startedAt: new Date(Date.now() + 7_200_000) });

    const rows = await database().sql('select started_at <= now() as is_past from dlq_attempts');
    assert.deepEqual(rows, [{ is_past: true }]);
  });

  it('are numbered from one, including the successful one', async () => {
    const id = await anEvent(database());
    for (const more of [failed, failed, {}]) await attempt(id, more);

    const rows = await database().sql('select number, outcome from dlq_attempts order by id');
    assert.deepEqual(rows, [
      { number: 1, outcome: 'transient' },
      { number: 2, outcome: 'transient' },
      { number: 3, outcome: 'delivered' },
    ]);
  });
});

describe('an event whose consumer reports the failure of a delivery before the target has answered', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const deliver = async (more: Partial<Settlement> = {}) => {
    const id = await anEvent(database());
    const leaseToken = randomUUID();
    await claim(database(), { leaseToken });
    await database().sql(
      `update dlq_events set failed_delivery = delivery_count, failure_count = failure_count + 1,
         retry_count = retry_count + 1`,
    );
    await settleEvents(database().db, { runId: '7', settlements: [aSettlement(id, leaseToken, more)] });
    // PostgreSQL 16 has no infinite intervals.
    const wait = 'case when isfinite(retry_after) then round(extract(epoch from retry_after - now())) end';
    const columns = `status, retry_count, ${wait} as wait`;
    return (await database().sql(`select ${columns} from dlq_events`))[0];
  };

  it('stays open after a successful delivery, waits for its backoff, and pays no second retry', async () => {
    assert.deepEqual(await deliver({ retryInSeconds: 60 }), {
      status: 'PENDING',
      retry_count: 1,
      wait: '60',
    });
    assert.deepEqual(await database().sql('select outcome from dlq_attempts'), [{ outcome: 'delivered' }]);
  });

  it('fails permanently with its last retry', async () => {
    assert.equal((await deliver({ failedStatus: 'FAILED_PERMANENTLY' }))?.status, 'FAILED_PERMANENTLY');
  });

  it('fails permanently by a permanent answer of its target', async () => {
    const refused = { status: 'FAILED_PERMANENTLY', outcome: 'permanent', isFailed: true } as const;
    assert.equal((await deliver(refused))?.status, 'FAILED_PERMANENTLY');
  });

  it('is delivered if the report was about an earlier delivery', async () => {
    const id = await anEvent(database(), { delivery_count: 1 });
    const leaseToken = randomUUID();
    await claim(database(), { leaseToken });
    await database().sql('update dlq_events set failed_delivery = 1, failure_count = failure_count + 1');
    await settleEvents(database().db, { runId: '7', settlements: [aSettlement(id, leaseToken)] });
    assert.deepEqual(await database().sql('select status from dlq_events'), [{ status: 'SUCCEEDED' }]);
  });
});

describe('the failure of a delivery that its consumer reports after its settlement', () => {
  const database = useDatabase();
  const capture = (headers: Record<string, string> = {}) => {
    const body = Buffer.from('{"orderId":1}');
    const sent = { 'content-type': 'application/json', 'dlo-error-reason': '503', ...headers };
    const captures = readCaptures({ path: '/', query: new URLSearchParams(), headers: sent, body });
    return storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
  };
  const failed = { status: 'PENDING', isFailed: true } as const;
  const cases = {
    'is known if its target answered with a failure': [{ ...failed, outcome: 'transient' }, 1],
    'counts if its worker disappeared': [{ ...failed, outcome: 'lost' }, 2],
    'counts if its target accepted it': [{}, 2],
  } as const;

  for (const [title, [settlement, failures]] of Object.entries(cases))
    it(title, async () => {
      await database().clear();
      const [stored] = await capture();
      const leaseToken = randomUUID();
      await claim(database(), { leaseToken });
      const settlements = [aSettlement(stored?.id ?? '', leaseToken, settlement)];
      await settleEvents(database().db, { runId: '7', settlements });
      const [sent] = await database().sql<{ token: string }>(`select ${redelivery} as token from dlq_events`);
      await capture({ 'dlo-event-id': sent?.token ?? '', 'dlo-attempt': '1' });
      assert.deepEqual(await database().sql('select failure_count as failures from dlq_events'), [
        { failures },
      ]);
    });
});
