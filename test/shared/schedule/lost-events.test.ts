import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('an event whose worker disappeared', () => {
  const database = useDatabase();
  const aLostEvent = (columns = {}) =>
    anEvent(database(), {
      status: 'PROCESSING',
      lease_token: '00000000-0000-4000-8000-000000000000',
      lease_expires_at: '2026-01-02',
      ...columns,
    });
  beforeEach(() => database().sql('truncate dlq_events, dlq_attempts'));

  it('is claimed again at once, at the cost of a retry', async () => {
    await aLostEvent({ retry_count: 2 });
    const [event] = await claim(database());
    assert.deepEqual([event?.status, event?.wasLost, event?.retryCount], ['PROCESSING', true, 3]);
  });

  it('has a lost attempt', async () => {
    const id = await aLostEvent({ retry_count: 2 });
    await claim(database(), { runId: '7', about: { target: 'http://shop/' } });
    const attempts = await database().sql(
      'select event_id, run_id, number, outcome, target from dlq_attempts',
    );
    assert.deepEqual(attempts, [
      { event_id: id, run_id: '7', number: 3, outcome: 'lost', target: 'http://shop/' },
    ]);
  });

  it('fails permanently if that was its last retry', async () => {
    await aLostEvent({ retry_count: 2 });
    const [event] = await claim(database(), { about: { maxRetries: 3 } });
    assert.equal(event?.status, 'FAILED_PERMANENTLY');
    const [row] = await database().sql(
      'select status, lease_token, processed_at is not null as closed from dlq_events',
    );
    assert.deepEqual(row, { status: 'FAILED_PERMANENTLY', lease_token: null, closed: true });
  });

  describe('three times in a row', () => {
    const loseAgain = async (id: string) => {
      await database().sql(
        `update dlq_events set status = 'PROCESSING', lease_token = gen_random_uuid(), lease_expires_at = '2026-01-02' where id = $1`,
        [id],
      );
      const [event] = await claim(database(), { maxLost: 3 });
      return event?.status;
    };

    it('fails permanently, long before its last retry', async () => {
      const id = await aLostEvent();
      assert.deepEqual(
        [await loseAgain(id), await loseAgain(id), await loseAgain(id)],
        ['PROCESSING', 'PROCESSING', 'FAILED_PERMANENTLY'],
      );
    });

    it('is tried again if an attempt between them ended otherwise', async () => {
      const id = await aLostEvent();
      await loseAgain(id);
      await loseAgain(id);
      await database().sql(
        `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms) values ($1, 3, 'transient', 'x', now(), 1)`,
        [id],
      );
      assert.equal(await loseAgain(id), 'PROCESSING');
    });

    it('has all its tries again after it was reopened', async () => {
      const id = await aLostEvent();
      for (let i = 0; i < 3; i++) await loseAgain(id);
      await database().sql(`update dlq_events set status = 'PENDING', processed_at = null, retry_count = 0`);
      assert.deepEqual([await loseAgain(id), await loseAgain(id)], ['PROCESSING', 'PROCESSING']);
      assert.equal(await loseAgain(id), 'FAILED_PERMANENTLY');
    });
  });

  it('fails permanently by its own limit rather than that of its route', async () => {
    await aLostEvent({ retry_count: 2, max_retries: 9 });
    const [event] = await claim(database(), { about: { maxRetries: 3 } });
    assert.equal(event?.status, 'PROCESSING');
  });
});
