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
const silent = { error_reason: 'not reported', fingerprint: 'v1:unknown' };
const from = (error: string) => ({
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
      'select error_reason, error_class, error_stacktrace, fingerprint, answer from dlq_events',
    );
    return row;
  };

  for (const outcome of ['transient', 'permanent', 'ambiguous'] as const) {
    it(`is what its consumer said, whatever a target answers to a retry: ${outcome}`, async () => {
      await anEvent(database(), captured);
      await fail('HTTP 503: down', outcome);

      assert.deepEqual(await read(), { ...captured, answer: 'HTTP 503: down' });
    });
  }

  it('has the latest answer beside it', async () => {
    await anEvent(database(), captured);
    await fail('HTTP 503: down');
    await fail('HTTP 422: no total');

    assert.deepEqual(await read(), { ...captured, answer: 'HTTP 422: no total' });
  });

  it('is the first answer if its consumer said nothing, and stays that', async () => {
    await anEvent(database(), silent);
    await fail('HTTP 503: down');
    await fail('HTTP 422: no total');

    assert.deepEqual(await read(), { ...from('HTTP 503: down'), answer: 'HTTP 422: no total' });
  });

  it('is no answer if its consumer said a class', async () => {
    const said = { ...captured, error_reason: 'not reported' };
    await anEvent(database(), said);
    await fail('HTTP 503: down');

    assert.deepEqual(await read(), { ...said, answer: 'HTTP 503: down' });
  });

  it('stays as it is when the event is delivered, with the answer to the delivery that failed last', async () => {
    await anEvent(database(), captured);
    await fail('HTTP 503: down');
    await settle(aSettlement(await claimed(), token));

    assert.deepEqual(await read(), { ...captured, answer: 'HTTP 503: down' });
  });

  it('stays as it is when an edited replay fails, which restores the event', async () => {
    await anEvent(database(), captured);
    const restored = { ...failure('HTTP 422: no total'), isFailure: false };
    await settle(aSettlement(await claimed(), token, restored));

    assert.deepEqual(await read(), { ...captured, answer: 'HTTP 422: no total' });
  });

  it('is what its consumer says later, instead of an answer', async () => {
    await anEvent(database(), { ...silent, event_key: 'id:order-1', event_id: 'order-1' });
    await fail('HTTP 503: down');
    await database().sql(
      `select dlq_capture('order.created', '{"orderId": 1}', 'no total', event_id => 'order-1', source_kind => 'test')`,
    );

    const { error_reason, answer } = (await read()) ?? {};
    assert.deepEqual({ error_reason, answer }, { error_reason: 'no total', answer: 'HTTP 503: down' });
  });

  it('of an event that fails again writes no index', async () => {
    await anEvent(database(), captured);
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

    assert.equal(await countHotUpdates('HTTP 503: down'), 1);
  });
});
