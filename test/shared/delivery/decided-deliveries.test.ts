import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { recover } from '../../../shared/delivery/recover.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import type { Settlement } from '../../../shared/delivery/settlement.ts';
import { aCapture } from '../../support/captures.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, claimAndDie, endLeases } from '../../support/runs.ts';

describe('an event whose consumer decides while it is being delivered', () => {
  const database = useDatabase();
  const token = randomUUID();
  const capture = (facts: Partial<Capture> = {}) =>
    storeCaptures({ db: database().db, repeatSeconds: 600 }, [aCapture(facts)]);
  /** Captures an event, claims it, captures its failure during the delivery, and settles. */
  const deliver = async (decision: Partial<Capture>, settlement: Partial<Settlement>) => {
    const [stored] = await capture();
    await claim(database(), { leaseToken: token });
    await capture(decision);
    const settlements = [aSettlement(stored?.id ?? '', token, settlement)];
    await settleEvents(database().db, { runId: '7', settlements });
    const [row] = await database().sql(
      `select status, failure_kind, processed_at is not null as closed,
         round(extract(epoch from retry_after - now()))::int as wait
       from dlq_events`,
    );
    return row;
  };
  const delivered = { status: 'SUCCEEDED', outcome: 'delivered' } as const;
  const transient = {
    status: 'PENDING',
    outcome: 'transient',
    failureKind: 'transient',
    retryInSeconds: 60,
  } as const;
  const released = { status: 'PENDING', outcome: null } as const;
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

  for (const by of ['a replay', 'the schedule'])
    it(`fails permanently if the consumer says so, and the worker of ${by} disappears`, async () => {
      const [stored] = await capture();
      const run = await aRun({ db: database().db, routes: [aRouteTo('http://shop/')] });
      await (by === 'a replay' ? claimAndDie(database(), run) : claim(database()));
      await capture(permanent);
      await endLeases(database());
      await recover({ db: database().db, retry: retryConfig() });
      const [row] = await database().sql('select id, status from dlq_events');
      assert.deepEqual(row, { id: stored?.id, status: 'FAILED_PERMANENTLY' });
    });
});
