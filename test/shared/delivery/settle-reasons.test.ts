import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import type { Database } from '../../../shared/database/database.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import type { Settlement } from '../../../shared/delivery/settlement.ts';
import { fingerprintReason } from '../../../shared/groups/fingerprint/fingerprint.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { actAs } from '../../support/roles.ts';

const captured = {
  error_reason: 'no answer',
  error_class: 'TimeoutError',
  error_stacktrace: `TimeoutError: no answer\n${'    at ask (client.js:1:2)\n'.repeat(200)}`,
  fingerprint: 'v1:captured',
};
const unknown = { error_reason: 'not reported', fingerprint: 'v1:unknown' };
const noFirst = {
  first_error_reason: null,
  first_error_class: null,
  first_error_stacktrace: null,
  first_fingerprint: null,
};
const first = {
  first_error_reason: captured.error_reason,
  first_error_class: captured.error_class,
  first_error_stacktrace: captured.error_stacktrace,
  first_fingerprint: captured.fingerprint,
};
const only = (error: string) => ({
  error_reason: error,
  error_class: null,
  error_stacktrace: null,
  fingerprint: fingerprintReason(error),
});

describe('the reason of an event', () => {
  const database = useDatabase();
  const token = randomUUID();
  beforeEach(() => database().clear());

  const claimed = async () => {
    await database().sql('update dlq_events set retry_after = now()');
    const [event] = await claim(database(), { leaseToken: token });
    return event?.id ?? '';
  };
  const settle = (settlement: Settlement, db: Database = database().db) =>
    settleEvents(db, { runId: '7', settlements: [settlement], maxRecurrences: 3 });
  const failure = (error: string, outcome: 'transient' | 'permanent' | 'ambiguous' = 'transient') =>
    ({ status: 'PENDING', isFailure: true, outcome, error, fingerprint: fingerprintReason(error) }) as const;
  const fail = async (...[error, outcome]: Parameters<typeof failure>) =>
    settle(aSettlement(await claimed(), token, failure(error, outcome)));
  const read = async () => {
    const [row] = await database().sql(
      `select error_reason, error_class, error_stacktrace, fingerprint,
         first_error_reason, first_error_class, first_error_stacktrace, first_fingerprint
       from dlq_events`,
    );
    return row;
  };

  for (const outcome of ['transient', 'permanent', 'ambiguous'] as const) {
    it(`is that of its latest failure at the target, a ${outcome} one, and its first failure is kept`, async () => {
      await anEvent(database(), captured);
      await fail('HTTP 503: down', outcome);

      assert.deepEqual(await read(), { ...only('HTTP 503: down'), ...first });
    });
  }

  it('keeps the first failure, not the one before the latest', async () => {
    await anEvent(database(), captured);
    await fail('HTTP 503: down');
    await fail('HTTP 422: no total');

    assert.deepEqual(await read(), { ...only('HTTP 422: no total'), ...first });
  });

  it('is that of the target if none was reported, and is then the first', async () => {
    await anEvent(database(), unknown);
    await fail('HTTP 503: down');
    assert.deepEqual(await read(), { ...only('HTTP 503: down'), ...noFirst });
    await fail('HTTP 422: no total');

    assert.equal((await read())?.first_error_reason, 'HTTP 503: down');
  });

  it('keeps a class that was reported without a reason', async () => {
    await anEvent(database(), { ...captured, error_reason: 'not reported' });
    await fail('HTTP 503: down');

    assert.deepEqual(await read(), {
      ...only('HTTP 503: down'),
      ...first,
      first_error_reason: 'not reported',
    });
  });

  it('that varies in its numbers stays in its error group', async () => {
    const { fingerprint } = only('order 7 is locked');
    await anEvent(database(), only('order 7 is locked'));
    await fail('order 8 is locked');

    const event = await read();
    assert.deepEqual([event?.error_reason, event?.fingerprint], ['order 8 is locked', fingerprint]);
    assert.deepEqual(
      [event?.first_error_reason, event?.first_fingerprint],
      ['order 7 is locked', fingerprint],
    );
  });

  it('stays as it is when the event is delivered', async () => {
    await anEvent(database(), captured);
    await settle(aSettlement(await claimed(), token));

    assert.deepEqual(await read(), { ...captured, ...noFirst });
  });

  it('stays as it is when an edited replay fails, which restores the event', async () => {
    await anEvent(database(), captured);
    const restored = { ...failure('HTTP 422: no total'), isFailure: false };
    await settle(aSettlement(await claimed(), token, restored));

    assert.deepEqual(await read(), { ...captured, ...noFirst });
  });

  it('stays that of its consumer, which reported the failure while it was delivered', async () => {
    await anEvent(database(), captured);
    const id = await claimed();
    await database().sql('update dlq_events set failure_count = 2');
    await settle(aSettlement(id, token, failure('HTTP 500: see the log')));

    assert.deepEqual(await read(), { ...captured, ...noFirst });
  });

  it('that is the same as before keeps its class and stack trace, and writes no index', async () => {
    await anEvent(database(), { ...captured, error_reason: 'HTTP 503: down' });
    const before = await read();
    const id = await claimed();
    const countHotUpdates = async (error: string) => {
      let updates: number | undefined;
      const work = async (db: Database) => {
        await settle(aSettlement(id, token, failure(error)), db);
        const { rows } = await db.query<{ updates: number }>({
          text: `select pg_stat_get_xact_tuples_hot_updated('dlq_events'::regclass)::int as updates`,
        });
        updates = rows[0]?.updates;
      };
      await actAs('dlq_retry', database(), { work });
      return updates;
    };

    assert.deepEqual(
      [await countHotUpdates('HTTP 503: down'), await countHotUpdates('HTTP 422: no')],
      [1, 0],
    );
    await settle(aSettlement(id, token, failure('HTTP 503: down')));
    assert.deepEqual(await read(), before);
  });
});
