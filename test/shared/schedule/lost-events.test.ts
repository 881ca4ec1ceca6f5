import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { readMessages } from '../../../shared/delivery/messages.ts';
import { recover } from '../../../shared/delivery/recover.ts';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { retryConfig } from '../../support/routes.ts';
import { endLeases } from '../../support/runs.ts';

describe('an event whose worker disappeared', () => {
  const database = useDatabase();
  const recoverAll = () => recover({ db: database().db, retry: retryConfig({ maxLost: 3 }) });
  /** A worker leases the event, sends it or not, and disappears. */
  const lose = async ({ isSent = true } = {}) => {
    const leaseToken = randomUUID();
    const [event] = await claim(database(), { leaseToken, runId: '7' });
    const events = isSent && event ? [{ id: event.id, leaseToken, target: 'http://shop/' }] : [];
    await readMessages(database().db, { events, maxBytes: 2 ** 15, maxTotal: 2 ** 20 });
    await endLeases(database());
    await recoverAll();
  };
  const row = async () => {
    const columns = 'status, retry_count, delivery_count, lease_token, processed_at is not null as closed';
    return (await database().sql(`select ${columns} from dlq_events`))[0];
  };
  const attempts = () => database().sql('select event_id, run_id, number, outcome, target from dlq_attempts');
  beforeEach(() => database().clear());
  const open = { status: 'PENDING', lease_token: null, closed: false };

  it('is open again without an attempt, and at no cost, if it had not been sent', async () => {
    await anEvent(database(), { retry_count: 2 });
    await lose({ isSent: false });
    assert.deepEqual(await row(), { ...open, retry_count: 2, delivery_count: 0 });
    assert.deepEqual(await attempts(), []);
  });

  it('is open again with a lost attempt, at the cost of a retry, if it had been sent', async () => {
    const id = await anEvent(database(), { retry_count: 2, delivery_count: 4 });
    await lose();
    assert.deepEqual(await row(), { ...open, retry_count: 3, delivery_count: 5 });
    const lost = { event_id: id, run_id: '7', number: 5, outcome: 'lost', target: 'http://shop/' };
    assert.deepEqual(await attempts(), [lost]);
  });

  it('is open again with all others of its worker, however many leases that had', async () => {
    await manyEvents(database(), 24);
    for (let lease = 0; lease < 24; lease++) await claim(database(), { limit: 1 });
    await endLeases(database());
    await recoverAll();
    const left = `select status, count(*)::int as events from dlq_events group by status`;
    assert.deepEqual(await database().sql(left), [{ status: 'PENDING', events: 24 }]);
  });

  it('stays with its worker until its lease ends', async () => {
    await anEvent(database());
    await claim(database());
    await recoverAll();
    assert.equal((await row())?.status, 'PROCESSING');
  });

  it('stays with its worker for the length of a lease if the clock steps back by two hours', async () => {
    await anEvent(database());
    await claim(database(), { leaseSeconds: 60 });
    await database().sql("update dlq_leases set leased_at = leased_at + interval '2 hours'");
    await recoverAll();
    const left = 'select leased_at + make_interval(secs => seconds) - now() as left from dlq_leases';
    const [lease] = await database().sql<{ left: { minutes?: number; seconds?: number } }>(left);
    assert.ok((lease?.left.minutes ?? 0) * 60 + (lease?.left.seconds ?? 0) <= 60);
    await endLeases(database());
    await recoverAll();
    assert.equal((await row())?.status, 'PENDING');
  });

  it('that plain SQL claimed is open again after five minutes', async () => {
    await anEvent(database());
    await database().sql("update dlq_events set status = 'PROCESSING'");
    await endLeases(database());
    await recoverAll();
    assert.deepEqual(await row(), { ...open, retry_count: 0, delivery_count: 0 });
  });

  it('that plain SQL claimed with a token of its own is open again when its lease ends', async () => {
    const own = `lease_token = gen_random_uuid(), lease_expires_at = now() + interval '1 minute'`;
    await anEvent(database());
    await database().sql(`update dlq_events set status = 'PROCESSING', ${own}`);
    await endLeases(database());
    await recoverAll();
    assert.deepEqual(await row(), { ...open, retry_count: 0, delivery_count: 0 });
  });

  for (const odd of ["lease_expires_at = '9999-12-31'", "updated_at = '9999-12-31'"])
    it(`is open again, although plain SQL set ${odd} of another one that it claimed`, async () => {
      await anEvent(database());
      await database().sql(`update dlq_events set status = 'PROCESSING', ${odd}`);
      const id = await anEvent(database());
      await lose();
      const [event] = await database().sql('select status from dlq_events where id = $1', [id]);
      assert.equal(event?.status, 'PENDING');
    });

  it('has a lost attempt that lasted as long as its lease', async () => {
    await anEvent(database());
    await lose();
    const lasted = 'select duration_ms / 1000 as seconds from dlq_attempts';
    assert.deepEqual(await database().sql(lasted), [{ seconds: 60 }]);
  });

  it('is open again, although no tick ran for two months', async () => {
    await anEvent(database());
    await claim(database());
    await database().sql("update dlq_leases set leased_at = now() - interval '60 days'");
    await database().sql('update dlq_events set lease_expires_at = now()');
    await recoverAll();
    assert.equal((await row())?.status, 'PENDING');
  });

  it('that plain SQL inserted as claimed is open again when its lease ends', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, status) values ('a', '{}', 'PROCESSING')`,
    );
    await endLeases(database());
    await recoverAll();
    assert.deepEqual(await row(), { ...open, retry_count: 0, delivery_count: 0 });
  });

  it('fails permanently after three lost attempts in a row, long before its last retry', async () => {
    await anEvent(database());
    const statuses: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      await lose();
      statuses.push((await row())?.status);
    }
    assert.deepEqual(statuses, ['PENDING', 'PENDING', 'FAILED_PERMANENTLY']);
    assert.equal((await row())?.closed, true);
  });

  it('is tried again if an attempt between them ended otherwise', async () => {
    const id = await anEvent(database());
    await lose();
    await lose();
    const attempt = `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
                     values ($1, 3, 'transient', 'x', now(), 1)`;
    await database().sql(attempt, [id]);
    await lose();
    assert.equal((await row())?.status, 'PENDING');
  });

  it('has all its tries again after it was reopened', async () => {
    await anEvent(database());
    for (let i = 0; i < 3; i++) await lose();
    await database().sql("update dlq_events set status = 'PENDING', retry_count = 0");
    for (let i = 0; i < 2; i++) await lose();
    assert.equal((await row())?.status, 'PENDING');
    await lose();
    assert.equal((await row())?.status, 'FAILED_PERMANENTLY');
  });

  it('leaves no lease and no record of what was sent', async () => {
    await anEvent(database());
    await lose();
    await recoverAll();
    assert.deepEqual(await database().sql('select from dlq_leases'), []);
  });
});
