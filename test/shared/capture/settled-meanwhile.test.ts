import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a report without content of an event that is settled at this moment', () => {
  const database = useDatabase();

  it('adds its class and leaves the settlement as it is', async () => {
    const { db, sql, url } = database();
    const store = (facts: Parameters<typeof aCapture>[0]) =>
      storeCaptures({ db, repeatSeconds: 600 }, [aCapture(facts)]);
    await store({ eventKey: 'id:1' });
    const settle = `update dlq_events set status = 'SUCCEEDED', retry_count = 7`;
    await whileTransactionIsOpen(url, settle, async (commit) => {
      const body = Buffer.alloc(0);
      const reported = store({ eventKey: 'id:1', origin: 'report', body, errorClass: 'Timeout' });
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await waitUntil('the report waits for the settlement', async () => (await sql(waiting)).length > 0);
      await commit();
      await reported;
    });

    assert.deepEqual(await sql('select status, retry_count, error_class from dlq_events'), [
      { status: 'SUCCEEDED', retry_count: 7, error_class: 'Timeout' },
    ]);
  });
});
