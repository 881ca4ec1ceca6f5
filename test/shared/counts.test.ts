import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { storeCaptures } from '../../functions/capture/store-captures.ts';
import { settleEvents } from '../../shared/events.ts';
import { fillFingerprints } from '../../shared/fingerprint/fill-fingerprints.ts';
import { foldCounts } from '../../shared/fold-counts.ts';
import { aCapture } from '../support/captures.ts';
import { aSettlement, claim } from '../support/claims.ts';
import { compareDays, compareDepths, compareHours, compareLeases, sumHours } from '../support/counts.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent, manyEvents } from '../support/factories.ts';
import { whileTransactionIsOpen } from '../support/open-transaction.ts';

describe('the counts', () => {
  const database = useDatabase();
  const sql = (text: string, values?: unknown[]) => database().sql<{ id: string }>(text, values);
  const fold = () => foldCounts(database().db);
  const capture = (...ids: number[]) =>
    storeCaptures(
      { db: database().db, maxReturns: 3 },
      ids.map((id) =>
        aCapture({
          eventKey: `id:${id}`,
          eventType: `order.${id % 3}`,
          errorReason: `bad ${id % 2 ? 'a' : 'b'}`,
        }),
      ),
    );
  const settle = async (status: 'SUCCEEDED' | 'PENDING' | 'FAILED_PERMANENTLY') => {
    const leaseToken = randomUUID();
    const claimed = await claim(database(), { limit: 5, leaseToken });
    const isFailure = status !== 'SUCCEEDED';
    const settlements = claimed.map(({ id, failure_count }) =>
      aSettlement(id, leaseToken, { status, failure_count, is_failure: isFailure, retry_in_seconds: 0 }),
    );
    await settleEvents(database().db, {
      runId: '1',
      settlements: JSON.stringify(settlements),
      reports: '[]',
      maxReturns: 3,
    });
  };
  const assertExact = async () => {
    for (const compare of [compareDepths, compareLeases, compareHours, compareDays]) {
      const { told, found } = await compare(database());
      assert.deepEqual(told, found);
    }
  };
  beforeEach(async () => {
    await sql(
      'truncate dlq_events, dlq_changes, dlq_totals, dlq_counts, dlq_hour_counts, dlq_day_counts, dlq_leases, dlq_error_groups',
    );
  });

  const acts: Record<string, () => Promise<unknown>> = {
    capture: () => capture(1, 2, 3, 4, 5),
    'capture others': () => capture(4, 5, 6, 7, 8, 9),
    'insert by plain SQL': () =>
      sql(
        `insert into dlq_events (event_type, payload, status) values ('order.1', '{}', 'PENDING'), ('x', '{}', 'DISCARDED')`,
      ),
    claim: () => claim(database(), { limit: 3 }),
    'claim by plain SQL': () => sql(`update dlq_events set status = 'PROCESSING' where id % 3 = 0`),
    deliver: () => settle('SUCCEEDED'),
    'fail for now': () => settle('PENDING'),
    'fail for good': () => settle('FAILED_PERMANENTLY'),
    'lease again': () =>
      sql(`update dlq_events
           set status = 'PROCESSING', processed_at = null, lease_token = gen_random_uuid(), lease_expires_at = now() + interval '1 minute'
           where id % 2 = 0`),
    'let leases end': () =>
      sql('update dlq_events set lease_expires_at = now() where lease_expires_at > now()'),
    'discard by plain SQL': () => sql(`update dlq_events set status = 'DISCARDED' where id % 4 = 0`),
    'tell another reason': () => sql(`update dlq_events set error_reason = 'no ' || id % 2 where id % 5 = 0`),
    'rename the type': () => sql(`update dlq_events set event_type = 'y' where id % 7 = 0`),
    'change nothing that counts': () => sql('update dlq_events set priority = 1'),
    'take fingerprints': () => fillFingerprints(database().db),
    delete: () => sql('delete from dlq_events where id % 6 = 0'),
    truncate: () => sql('truncate dlq_events'),
    fold,
  };

  it('are exact after whatever was done, before and after they are folded', async () => {
    const act = fc.constantFrom(...Object.keys(acts));
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 25 }), async (names) => {
        for (const name of names) await acts[name]?.();
        await assertExact();
        await fold();
        await assertExact();
      }),
      { numRuns: 40 },
    );
  });

  it('say what happened: captures, deliveries, failures, returns, discards', async () => {
    await capture(1, 2, 3, 4, 5);
    await settle('SUCCEEDED');
    await capture(1, 2);
    await settle('FAILED_PERMANENTLY');
    await sql(
      `update dlq_events set status = 'DISCARDED' where status = 'FAILED_PERMANENTLY' and event_key = 'id:1'`,
    );
    const expected = {
      captures: 5,
      returns: 2,
      retry_failures: 2,
      deliveries: 5,
      permanent_failures: 2,
      discards: 1,
    };

    assert.deepEqual(await sumHours(database()), expected);
    await fold();
    assert.deepEqual(await sumHours(database()), expected);
  });

  it('count a capture in the hour in which the event was captured, in UTC', async () => {
    await anEvent(database(), { created_at: '2026-01-02T03:34:56+05:30' });
    const [row] = await sql(`select extract(epoch from hour)::int as hour from dlq_hours where captures = 1`);

    assert.deepEqual(row, { hour: Date.parse('2026-01-01T22:00:00Z') / 1000 });
  });

  it('move a capture to the error group that its event turns out to belong to', async () => {
    await anEvent(database(), { created_at: '2026-01-02T03:04:05Z', fingerprint: null });
    await fillFingerprints(database().db);
    const rows = await sql(
      `select fingerprint = '' as is_unknown, captures::int, hour = '2026-01-02T03:00:00Z' as is_then from dlq_hours where captures <> 0`,
    );

    assert.deepEqual(rows, [{ is_unknown: false, captures: 1, is_then: true }]);
  });

  it('go with what is rolled back', async () => {
    await whileTransactionIsOpen(
      database().url,
      `insert into dlq_events (event_type, payload) values ('a', '{}')`,
      async () => {
        assert.deepEqual((await compareDepths(database())).told, []);
      },
    );

    assert.deepEqual((await compareDepths(database())).told, []);
    await assertExact();
  });

  it('hold nobody up while a person leaves a transaction open', async () => {
    await capture(1, 2, 3);
    await whileTransactionIsOpen(
      database().url,
      `update dlq_events set status = 'DISCARDED' where event_key = 'id:1'`,
      async () => {
        await capture(4, 5, 6);
        await settle('SUCCEEDED');
        await fold();
        await assertExact();
      },
    );
    await assertExact();
  });

  it('are exact while many write and fold at once', async () => {
    await manyEvents(database(), 200);
    const write = async (n: number) => {
      await capture(...Array.from({ length: 20 }, (_, i) => i + n));
      await settle('SUCCEEDED');
      await fold();
    };
    await Promise.all(Array.from({ length: 24 }, (_, n) => write(n % 6)));

    await assertExact();
  });

  it('cost one row for each error group that a statement touches, however many events', async () => {
    await manyEvents(database(), 1000);
    await sql(`update dlq_events set status = 'DISCARDED'`);

    assert.deepEqual(await sql('select count(*)::int as rows from dlq_changes'), [{ rows: 2 }]);
  });

  it('leave no row behind for a lease that has ended', async () => {
    await capture(1);
    await settle('SUCCEEDED');
    await fold();
    await capture(2);
    await fold();

    assert.deepEqual(await sql('select * from dlq_leases'), []);
  });

  it('are set right by a recount, whatever escaped the triggers', async () => {
    await capture(1, 2, 3);
    await claim(database(), { limit: 2 });
    await fold();
    await sql('alter table dlq_events disable trigger user');
    await sql(`insert into dlq_events (event_type, payload) values ('order.1', '{}'), ('z', '{}')`);
    await sql(`delete from dlq_events where event_key = 'id:1'`);
    await sql('alter table dlq_events enable trigger user');
    await sql('select dlq_recount()');

    await assertExact();
    await fold();
    await assertExact();
  });
});
