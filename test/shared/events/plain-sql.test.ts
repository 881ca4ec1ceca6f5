import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { recover } from '../../../shared/delivery/recover.ts';
import { claim, idsOf } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { retryConfig } from '../../support/routes.ts';
import { endLeases } from '../../support/runs.ts';

const claimByHand = `update dlq_events set status = 'PROCESSING', updated_at = now() where id in (
  select id from dlq_events where status = 'PENDING' and retry_after <= now()
  order by created_at limit 50 for update skip locked) returning *`;

describe('a claim by plain SQL', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const claimOne = async () => {
    const id = await anEvent(database());
    await database().sql(claimByHand);
    return id;
  };
  const read = async (columns: string) => (await database().sql(`select ${columns} from dlq_events`))[0];

  it('gets a lease of five minutes', async () => {
    await claimOne();

    const columns = 'lease_token is not null as has_token, (lease_expires_at - updated_at)::text as time';
    assert.deepEqual(await read(columns), { has_token: true, time: '00:05:00' });
  });

  it('keeps workers from claiming the event', async () => {
    await claimOne();

    assert.deepEqual(await claim(database()), []);
  });

  it('ends with its lease if it was abandoned', async () => {
    const id = await claimOne();
    await endLeases(database());
    await recover({ db: database().db, retry: retryConfig() });

    assert.deepEqual(idsOf(await claim(database())), [id]);
  });

  for (const [status, isClosed] of [
    ['PENDING', false],
    ['SUCCEEDED', true],
    ['FAILED_PERMANENTLY', true],
  ] as const) {
    it(`leaves no lease behind when plain SQL settles it as ${status}`, async () => {
      await claimOne();
      await database().sql(`update dlq_events set status = '${status}'`);

      const columns = 'status, lease_token, lease_expires_at, processed_at is not null as is_closed';
      const noLease = { lease_token: null, lease_expires_at: null };
      assert.deepEqual(await read(columns), { status, ...noLease, is_closed: isClosed });
    });
  }
});

describe('a loop of SQL beside the schedule', () => {
  const database = useDatabase();
  beforeEach(() => database().sql('truncate dlq_events'));
  const sql = (text: string) => database().sql<{ id: string; lease_token: string }>(text);
  const statusOf = async () => (await database().sql('select status from dlq_events'))[0]?.status;

  it('keeps the events whose lease it extends', async () => {
    await anEvent(database());
    const [{ id, lease_token } = { id: '', lease_token: '' }] = await sql(claimByHand);
    await endLeases(database());
    await sql(
      `update dlq_events set lease_expires_at = now() + interval '5 minutes' where id = ${id} and lease_token = '${lease_token}'`,
    );
    await recover({ db: database().db, retry: retryConfig() });

    assert.deepEqual(await claim(database()), []);
  });

  it('that settles with its token changes nothing once a worker has taken the event up', async () => {
    await anEvent(database());
    const [{ lease_token } = { lease_token: '' }] = await sql(claimByHand);
    await endLeases(database());
    await recover({ db: database().db, retry: retryConfig() });
    await claim(database());
    await sql(`update dlq_events set status = 'SUCCEEDED' where lease_token = '${lease_token}'`);

    assert.equal(await statusOf(), 'PROCESSING');
  });

  it('that selects PENDING takes nothing that a worker delivers', async () => {
    await anEvent(database());
    await claim(database());

    assert.deepEqual(await sql(claimByHand), []);
  });

  it('counts each of its claims as a delivery, in order with those of workers', async () => {
    await anEvent(database());
    await sql(claimByHand);
    await sql(`update dlq_events set status = 'PENDING'`);
    const [event] = await claim(database());

    assert.equal(event?.deliveryCount, 2);
  });
});
