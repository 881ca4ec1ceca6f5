import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import { fillFingerprints } from '../../../shared/fingerprint/fill-fingerprints.ts';
import { aCapture } from '../../support/captures.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import {
  compareDepths,
  compareHours,
  compareLeases,
  compareTotals,
  compareTypes,
  compareWithZero,
  sumHours,
} from '../../support/counts.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { tries } from '../../support/sample.ts';

describe('the counts', () => {
  const database = useDatabase();
  const sql = (text: string, values?: unknown[]) => database().sql<{ id: string }>(text, values);
  const aggregate = () => aggregateCounts(database().db);
  const capture = (...ids: number[]) =>
    storeCaptures(
      { db: database().db, repeatSeconds: 600 },
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
    const outcome = status === 'SUCCEEDED' ? 'delivered' : 'transient';
    const settlements = claimed.map(({ id, failureCount }) =>
      aSettlement(id, leaseToken, { status, outcome, failureCount, retryInSeconds: 0 }),
    );
    await settleEvents(database().db, {
      runId: '1',
      settlements,
    });
  };
  const assertExact = async () => {
    const comparisons = [
      compareDepths,
      compareLeases,
      compareHours,
      compareTotals,
      compareTypes,
      compareWithZero,
    ];
    for (const compare of comparisons) {
      const { reported, found } = await compare(database());
      assert.deepEqual(reported, found);
    }
  };
  beforeEach(() => database().clear());

  const actions: Record<string, () => Promise<unknown>> = {
    capture: () => capture(1, 2, 3, 4, 5),
    'capture others': () => capture(4, 5, 6, 7, 8, 9),
    'insert by plain SQL': () =>
      sql(
        `insert into dlq_events (event_type, payload, status) values ('order.1', '{}', 'PENDING'), ('x', '{}', 'DISCARDED')`,
      ),
    'insert what has recurred': () =>
      sql(
        `insert into dlq_events (event_type, payload, failure_count, created_at) values ('x', '1', 3, '2026-01-02')`,
      ),
    'capture a report, and its message of another type': () =>
      sql(
        `select dlq_capture(event_type => type, payload => content, event_id => 'reported', error_reason => 'no')
         from (values (1, 'unknown', null), (2, 'order.1', jsonb '1')) as said (nth, type, content) order by nth`,
      ),
    edit: () =>
      sql(
        `select dlq_edit_events(max(id), array[max(id)], array['2'::bytea], null) from dlq_events where is_open
         having count(*) > 0`,
      ),
    'fail again by plain SQL': () =>
      sql('update dlq_events set failure_count = failure_count + 1 where id % 3 = 1'),
    'change the time': () =>
      sql(
        `update dlq_events set created_at = created_at - interval '5 hours', first_failure_at = '2026-01-01'
         where id % 3 = 2`,
      ),
    claim: () => claim(database(), { limit: 3 }),
    'claim by plain SQL': () => sql(`update dlq_events set status = 'PROCESSING' where id % 3 = 0`),
    deliver: () => settle('SUCCEEDED'),
    'fail transiently': () => settle('PENDING'),
    'fail permanently': () => settle('FAILED_PERMANENTLY'),
    'lease again': () =>
      sql(`update dlq_events
           set status = 'PROCESSING', processed_at = null, lease_token = gen_random_uuid(), lease_expires_at = now() + interval '1 minute'
           where id % 2 = 0`),
    'end leases': async () => {
      await sql(
        'update dlq_leases set leased_at = now() - make_interval(secs => seconds) where target is null',
      );
      await sql('update dlq_events set lease_expires_at = now() where lease_expires_at > now()');
    },
    'discard by plain SQL': () => sql(`update dlq_events set status = 'DISCARDED' where id % 4 = 0`),
    'change the reason': () => sql(`update dlq_events set error_reason = 'no ' || id % 2 where id % 5 = 0`),
    'rename the type': () => sql(`update dlq_events set event_type = 'y' where id % 7 = 0`),
    'change the priority': () => sql('update dlq_events set priority = 1'),
    'move to another group': () => sql(`update dlq_events set fingerprint = 'v3:' || id % 4`),
    'fill fingerprints': () => fillFingerprints(database().db),
    delete: () => sql('delete from dlq_events where id % 6 = 0'),
    truncate: () => sql('truncate dlq_events'),
    aggregate,
  };

  it('are exact after any actions, before and after aggregation', async () => {
    const action = fc.constantFrom(...Object.keys(actions));
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 25 }), async (names) => {
        for (const name of names) await actions[name]?.();
        await assertExact();
        await aggregate();
        await assertExact();
      }),
      { numRuns: tries(40) },
    );
  });

  it('include captures, deliveries, failures, recurrences and discards', async () => {
    await capture(1, 2, 3, 4, 5);
    await settle('SUCCEEDED');
    await capture(1, 2);
    await settle('FAILED_PERMANENTLY');
    await sql(
      `update dlq_events set status = 'DISCARDED' where status = 'FAILED_PERMANENTLY' and event_key = 'id:1'`,
    );
    const expected = {
      captures: 5,
      recurrences: 2,
      retry_failures: 2,
      deliveries: 5,
      permanent_failures: 2,
      discards: 1,
    };

    assert.deepEqual(await sumHours(database()), expected);
    await aggregate();
    assert.deepEqual(await sumHours(database()), expected);
  });

  it('count a capture in the hour of created_at, in UTC', async () => {
    await anEvent(database(), { created_at: '2026-01-02T03:34:56+05:30' });
    const [row] = await sql(
      `select extract(epoch from hour)::int as hour from dlq_counts_by_hour where captures = 1`,
    );

    assert.deepEqual(row, { hour: Date.parse('2026-01-01T22:00:00Z') / 1000 });
  });

  it('move a capture to the error group of its event once the fingerprint is known', async () => {
    await anEvent(database(), { created_at: '2026-01-02T03:04:05Z', fingerprint: null });
    await fillFingerprints(database().db);
    const rows = await sql(
      `select fingerprint = '' as is_unknown, captures::int, hour = '2026-01-02T03:00:00Z' as is_then from dlq_counts_by_hour where captures <> 0`,
    );

    assert.deepEqual(rows, [{ is_unknown: false, captures: 1, is_then: true }]);
  });

  it('are rolled back with their statement', async () => {
    await whileTransactionIsOpen(
      database().url,
      `insert into dlq_events (event_type, payload) values ('a', '{}')`,
      async () => {
        assert.deepEqual((await compareDepths(database())).reported, []);
      },
    );

    assert.deepEqual((await compareDepths(database())).reported, []);
    await assertExact();
  });

  it('do not block other statements while a transaction stays open', async () => {
    await capture(1, 2, 3);
    await whileTransactionIsOpen(
      database().url,
      `update dlq_events set status = 'DISCARDED' where event_key = 'id:1'`,
      async () => {
        await capture(4, 5, 6);
        await settle('SUCCEEDED');
        await aggregate();
        await assertExact();
      },
    );
    await assertExact();
  });

  it('are exact while many sessions write and aggregate concurrently', async () => {
    await manyEvents(database(), 200);
    const write = async (n: number) => {
      await capture(...Array.from({ length: 20 }, (_, i) => i + n));
      await settle('SUCCEEDED');
      await aggregate();
    };
    await Promise.all(Array.from({ length: 24 }, (_, n) => write(n % 6)));

    await assertExact();
  });

  it('add one row per error group and status side, for any number of events', async () => {
    await manyEvents(database(), 1000);
    await sql(`update dlq_events set status = 'DISCARDED'`);

    assert.deepEqual(await sql('select count(*)::int as rows from dlq_count_deltas'), [{ rows: 2 }]);
  });

  it('include the permanent failures that plain SQL inserts', async () => {
    await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    const { captures, permanent_failures } = await sumHours(database());
    assert.deepEqual([captures, permanent_failures], [1, 1]);
  });

  it('are corrected by dlq_recount() after changes that bypassed the triggers', async () => {
    await capture(1, 2, 3);
    await claim(database(), { limit: 2 });
    await aggregate();
    await sql('alter table dlq_events disable trigger user');
    await sql(`insert into dlq_events (event_type, payload) values ('order.1', '{}'), ('z', '{}')`);
    await sql(`delete from dlq_events where event_key = 'id:1'`);
    await sql('alter table dlq_events enable trigger user');
    await sql('select dlq_recount()');

    await assertExact();
    await aggregate();
    await assertExact();
  });
});
