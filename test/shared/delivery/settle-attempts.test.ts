import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import type { Settlement } from '../../../shared/delivery/settlement.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('the attempts of an event', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const token = randomUUID();
  const attempt = async (id: string, more: Partial<Settlement> = {}) => {
    await claim(database(), { leaseToken: token });
    const settlements = [aSettlement(id, token, more)];
    return settleEvents(database().db, { runId: '7', settlements, maxRecurrences: 3 });
  };
  const failed = { outcome: 'transient', status: 'PENDING', isFailure: true, retryInSeconds: 0 } as const;

  it('record the delivery, its time and the response of the target', async () => {
    const id = await anEvent(database());
    const error = 'HTTP 503: busy';
    await attempt(id, { ...failed, responseStatus: 503, responseBody: 'busy', error });

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

describe('an event that recurs during its delivery', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const deliver = async (failureCount: number) => {
    const id = await anEvent(database(), { failure_count: failureCount });
    await claim(database());
    await database().sql('update dlq_events set failure_count = failure_count + 1, failed_delivery = delivery_count');
    const [row] = await database().sql<{ lease_token: string }>('select lease_token from dlq_events');
    const settlement = aSettlement(id, row?.lease_token ?? '');
    await settleEvents(database().db, {
      runId: '7',
      settlements: [settlement],
      maxRecurrences: 3,
    });
    return (await database().sql('select status from dlq_events'))[0]?.status;
  };

  it('stays open after a successful delivery', async () => {
    assert.equal(await deliver(2), 'PENDING');
  });

  it('fails permanently after MAX_RECURRENCES recurrences', async () => {
    assert.equal(await deliver(3), 'FAILED_PERMANENTLY');
  });
});
