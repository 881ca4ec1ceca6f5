import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { openSends, purgeSends } from '../../../shared/delivery/sends.ts';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

const token = '00000000-0000-4000-8000-000000000000';

describe('an event whose worker disappeared', () => {
  const database = useDatabase();
  const anUnsentEvent = (columns = {}) =>
    anEvent(database(), {
      status: 'PROCESSING',
      lease_token: token,
      lease_expires_at: '2026-01-02',
      ...columns,
    });
  const aLostEvent = async (columns = {}) => {
    const id = await anUnsentEvent(columns);
    await openSends(database().db)({ id, leaseToken: token });
    return id;
  };
  const attempts = () => database().sql('select event_id, run_id, number, outcome, target from dlq_attempts');
  beforeEach(() => database().clear());

  it('is claimed again without an attempt, and at no cost, if it had not been sent', async () => {
    const id = await anUnsentEvent({ retry_count: 2 });
    await openSends(database().db)({ id, leaseToken: randomUUID() });
    const [event] = await claim(database(), { about: { maxRetries: 3 } });
    assert.deepEqual([event?.status, event?.losses, event?.retryCount], ['PROCESSING', 0, 2]);
    assert.deepEqual(await attempts(), []);
  });

  it('is known as sent until it is claimed again, however long that takes', async () => {
    await aLostEvent();
    await openSends(database().db)({ id: '1', leaseToken: randomUUID() });
    await database().sql("update dlq_sends set sent_at = now() - interval '30 days'");
    await purgeSends(database().db, {});
    assert.deepEqual(await database().sql('select lease_token from dlq_sends'), [{ lease_token: token }]);
  });

  it('is claimed again at once, at the cost of a retry', async () => {
    await aLostEvent({ retry_count: 2 });
    const [event] = await claim(database());
    assert.deepEqual([event?.status, event?.losses, event?.retryCount], ['PROCESSING', 1, 3]);
  });

  it('has a lost attempt', async () => {
    const id = await aLostEvent({ delivery_count: 3 });
    await claim(database(), { runId: '7', about: { target: 'http://shop/' } });
    assert.deepEqual(await attempts(), [
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
        `update dlq_events set status = 'PROCESSING', lease_token = $2, lease_expires_at = '2026-01-02' where id = $1`,
        [id, token],
      );
      await openSends(database().db)({ id, leaseToken: token });
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
