import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { type Settlement, settleEvents } from '../../shared/events.ts';
import { aSettlement, claim, idsOf } from '../support/claims.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent, manyEvents } from '../support/factories.ts';

const failed = {
  outcome: 'transient',
  failure_kind: 'transient',
  is_failure: true,
  response_status: 503,
} as const;
const transient = { ...failed, status: 'PENDING', retry_in_seconds: 60, error: 'HTTP 503: no' } as const;

describe('a settlement', () => {
  const database = useDatabase();
  beforeEach(() => database().sql('truncate dlq_events, dlq_attempts'));
  const token = randomUUID();
  const aClaimed = async (columns = {}) => {
    const id = await anEvent(database(), columns);
    await claim(database(), { leaseToken: token });
    return id;
  };
  const settle = (settlements: Settlement[], maxReturns = 10) =>
    settleEvents(database().db, {
      runId: '7',
      settlements: JSON.stringify(settlements),
      reports: '[]',
      maxReturns,
    });
  const read = async (columns: string) => (await database().sql(`select ${columns} from dlq_events`))[0];

  it('closes a delivered event at once, and keeps what happened to it before', async () => {
    const id = await aClaimed({ retry_count: 3, failure_kind: 'transient' });
    assert.deepEqual(await settle([aSettlement(id, token)]), [{ id }]);

    const columns =
      'status, retry_count, failure_kind, error_reason, processed_at = updated_at as is_processed_now';
    assert.deepEqual(await read(columns), {
      status: 'SUCCEEDED',
      retry_count: 3,
      failure_kind: 'transient',
      error_reason: 'timeout',
      is_processed_now: true,
    });
  });

  it('makes a failed event wait for its backoff', async () => {
    const id = await aClaimed({ retry_count: 3 });
    await settle([aSettlement(id, token, transient)]);

    assert.deepEqual(
      await read('status, retry_count, failure_kind, (retry_after - updated_at)::text as wait, processed_at'),
      {
        status: 'PENDING',
        retry_count: 4,
        failure_kind: 'transient',
        wait: '00:01:00',
        processed_at: null,
      },
    );
  });

  it('ends the lease, whatever the outcome was', async () => {
    for (const more of [{}, transient, { status: 'FAILED_PERMANENTLY' } as const]) {
      await settle([aSettlement(await aClaimed(), token, more)]);
    }

    assert.deepEqual(await database().sql('select distinct lease_token, lease_expires_at from dlq_events'), [
      { lease_token: null, lease_expires_at: null },
    ]);
  });

  it('under a token that is no longer valid changes nothing and writes no attempt', async () => {
    const id = await aClaimed();
    const before = await read('*');

    assert.deepEqual(await settle([aSettlement(id, randomUUID())]), []);
    assert.deepEqual(await read('*'), before);
    assert.deepEqual(await database().sql('select from dlq_attempts'), []);
  });

  it('comes too late when another worker has taken the event over', async () => {
    const id = await aClaimed();
    await database().sql('update dlq_events set lease_expires_at = now()');
    const [taken] = await claim(database());

    assert.deepEqual([taken?.id, await settle([aSettlement(id, token)])], [id, []]);
  });

  it('gives an event back as it was where nothing was tried', async () => {
    const retry_after = new Date('2026-01-01T00:00:00Z');
    const id = await aClaimed({ retry_count: 2, retry_after });
    await settle([aSettlement(id, token, { status: 'PENDING', outcome: null })]);

    assert.deepEqual(await read('status, retry_count, retry_after'), {
      status: 'PENDING',
      retry_count: 2,
      retry_after,
    });
    assert.deepEqual(await database().sql('select from dlq_attempts'), []);
  });

  it('completes a reason that nobody reported, and replaces none that was', async () => {
    const unknown = await aClaimed({ error_reason: 'not reported' });
    const known = await aClaimed();
    await settle([unknown, known].map((id) => aSettlement(id, token, transient)));

    const rows = await database().sql('select error_reason from dlq_events order by id');
    assert.deepEqual(rows, [{ error_reason: 'HTTP 503: no' }, { error_reason: 'timeout' }]);
  });

  it('of a whole batch with its attempts is one statement', async () => {
    await manyEvents(database(), 40);
    const ids = idsOf(await claim(database(), { leaseToken: token }));
    await settle(ids.map((id, i) => aSettlement(id, token, i % 2 ? transient : {})));

    const versions = 'select xmin from dlq_events union select xmin from dlq_attempts';
    assert.equal((await database().sql(versions)).length, 1);
    assert.equal((await database().sql('select from dlq_attempts')).length, 40);
  });
});
