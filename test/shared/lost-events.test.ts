import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { claim } from '../support/claims.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';

describe('an event whose worker disappeared', () => {
  const database = useDatabase();
  const lose = (columns = {}) =>
    anEvent(database(), {
      status: 'PROCESSING',
      lease_token: '00000000-0000-4000-8000-000000000000',
      lease_expires_at: new Date(Date.now() - 1000),
      ...columns,
    });
  beforeEach(() => database().sql('truncate dlq_events, dlq_attempts'));

  it('is claimed again at once, and that cost a retry', async () => {
    await lose({ retry_count: 2 });
    const [event] = await claim(database());
    assert.deepEqual([event?.status, event?.was_lost, event?.retry_count], ['PROCESSING', true, 3]);
  });

  it('has an attempt that says so', async () => {
    const id = await lose({ retry_count: 2 });
    await claim(database(), { runId: '7', about: { target: 'http://shop/' } });
    const attempts = await database().sql(
      'select event_id, run_id, number, outcome, target from dlq_attempts',
    );
    assert.deepEqual(attempts, [
      { event_id: id, run_id: '7', number: 3, outcome: 'lost', target: 'http://shop/' },
    ]);
  });

  it('is given up when that was its last retry', async () => {
    await lose({ retry_count: 2 });
    const [event] = await claim(database(), { about: { max_retries: 3 } });
    assert.equal(event?.status, 'FAILED_PERMANENTLY');
    const [row] = await database().sql(
      'select status, lease_token, processed_at is not null as closed from dlq_events',
    );
    assert.deepEqual(row, { status: 'FAILED_PERMANENTLY', lease_token: null, closed: true });
  });

  it('is given up as its own limit says, rather than its route’s', async () => {
    await lose({ retry_count: 2, max_retries: 9 });
    const [event] = await claim(database(), { about: { max_retries: 3 } });
    assert.equal(event?.status, 'PROCESSING');
  });
});
