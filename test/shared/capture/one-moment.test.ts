import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { waitUntil } from '../../support/wait-until.ts';

const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe('two captures of one message at one moment', () => {
  const database = useDatabase();
  beforeEach(() => database().clear('dlq_events'));

  /** Captures a report while the transaction of another one is open, of one message each. */
  const meanwhile = async (first: string | null, second: string | null) => {
    const { db, sql, url } = database();
    const consumer = first === null ? 'null' : `'${first}'`;
    const report = `select dlq_capture(event_type => 'order.created', payload => '{"n": 1}', event_id => '1',
      error_reason => 'timeout', consumer_group => ${consumer})`;
    await whileTransactionIsOpen(url, report, async (commit) => {
      const said = { eventKey: 'id:1', origin: 'report', body: Buffer.from('{"n": 1}') } as const;
      const stored = storeCaptures({ db, repeatSeconds: 600 }, [
        aCapture({ ...said, consumer: second, consumerGroup: second }),
      ]);
      await waitUntil('the second capture waits', async () => (await sql(waiting)).length > 0);
      await commit();
      await stored;
    });
    return sql('select failure_count from dlq_events order by id');
  };

  for (const [first, second] of [
    ['billing', null],
    [null, 'billing'],
  ] as const) {
    it(`are one event if only the ${first === null ? 'second' : 'first'} reports its consumer`, async () => {
      assert.deepEqual(await meanwhile(first, second), [{ failure_count: 1 }]);
    });
  }

  it('are one event without any id, also long after an earlier one', async () => {
    const { sql, url } = database();
    const days = openDays(database);
    const beat = { eventKey: 'sha256:beat', eventId: null };
    await days.capture(beat);
    await days.pass(60);
    const same = `select dlq_capture_events('[{"message_key": "sha256:beat", "event_type": "order.created",
      "source_kind": "test", "payload_encoding": "json", "body_start": 1, "body_length": 14, "headers": {},
      "content_type": "application/json"}]', '{"orderId": 1}', 600)`;
    await whileTransactionIsOpen(url, same, async (commit) => {
      const stored = days.capture(beat);
      const waits = waitUntil('the second waits', async () => (await sql(waiting)).length > 0);
      await Promise.race([stored, waits]);
      await commit();
      await stored;
    });

    assert.equal((await sql('select from dlq_events')).length, 2);
  });

  it('are two events if they report two consumers', async () => {
    assert.deepEqual(await meanwhile('billing', 'shipping'), [{ failure_count: 1 }, { failure_count: 1 }]);
  });
});
