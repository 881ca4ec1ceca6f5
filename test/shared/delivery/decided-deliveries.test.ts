import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import type { Settlement } from '../../../shared/delivery/settlement.ts';
import { recoverRunEvents } from '../../../shared/replay/run-events.ts';
import { aCapture } from '../../support/captures.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';

describe('an event whose consumer decides while it is being delivered', () => {
  const database = useDatabase();
  const token = randomUUID();
  const capture = (facts: Partial<Capture> = {}) =>
    storeCaptures({ db: database().db, maxRecurrences: 5, repeatSeconds: 600 }, [aCapture(facts)]);
  /** Captures an event, claims it, captures its failure during the delivery, and settles. */
  const deliver = async (decision: Partial<Capture>, settlement: Partial<Settlement>) => {
    const [stored] = await capture();
    await claim(database(), { leaseToken: token });
    await capture(decision);
    const settlements = [aSettlement(stored?.id ?? '', token, settlement)];
    await settleEvents(database().db, { runId: '7', settlements, maxRecurrences: 5 });
    const [row] = await database().sql(
      `select status, failure_kind, processed_at is not null as closed,
         round(extract(epoch from retry_after - now()))::int as wait
       from dlq_events`,
    );
    return row;
  };
  const delivered = { status: 'SUCCEEDED', isFailure: false, outcome: 'delivered' } as const;
  const transient = {
    status: 'PENDING',
    isFailure: true,
    outcome: 'transient',
    failureKind: 'transient',
    retryInSeconds: 60,
  } as const;
  const released = { status: 'PENDING', isFailure: false } as const;
  const permanent = { errorKind: 'permanent' } as const;
  beforeEach(() => database().clear());

  for (const [name, settlement] of Object.entries({ delivered, transient, released })) {
    it(`fails permanently if the consumer says so, and its delivery was ${name}`, async () => {
      const row = await deliver(permanent, settlement);
      assert.deepEqual(
        [row?.status, row?.failure_kind, row?.closed],
        ['FAILED_PERMANENTLY', 'permanent', true],
      );
    });
  }

  it('is not retried earlier than the consumer wants', async () => {
    assert.equal((await deliver({ retryAfter: 600 }, transient))?.wait, 600);
    await database().clear('dlq_events');
    assert.equal((await deliver({ retryAfter: 600 }, delivered))?.wait, 600);
    await database().clear('dlq_events');
    assert.equal((await deliver({ retryAfter: 5 }, transient))?.wait, 60);
  });

  it('has the outcome of its delivery as its kind if the consumer says none', async () => {
    const row = await deliver({}, { ...transient, failureKind: 'ambiguous' });
    assert.deepEqual([row?.status, row?.failure_kind], ['PENDING', 'ambiguous']);
  });

  it('fails permanently if the worker of a replay disappears', async () => {
    const [stored] = await capture();
    await database().sql(
      `with event as (
         update dlq_events
         set status = 'PROCESSING', lease_token = $1, lease_expires_at = now(), delivery_count = 1
         returning id, lease_expires_at)
       insert into dlq_run_events (run_id, event_id, position, failure_count, status, leased_until, target, retry_after)
       select 1, id, 1, 1, 'PENDING', lease_expires_at, 'http://shop', now() from event`,
      [token],
    );
    await capture(permanent);
    await recoverRunEvents(database().db, { maxLost: 3 });
    const [row] = await database().sql('select id, status from dlq_events');
    assert.deepEqual(row, { id: stored?.id, status: 'FAILED_PERMANENTLY' });
  });
});
