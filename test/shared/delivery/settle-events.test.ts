import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { recover } from '../../../shared/delivery/recover.ts';
import { settle as settleBatch, settleEvents } from '../../../shared/delivery/settle.ts';
import type { Settlement } from '../../../shared/delivery/settlement.ts';
import { aSettlement, claim, idsOf } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { endLeases } from '../../support/runs.ts';

const failed = {
  outcome: 'transient',
  failureKind: 'transient',
  responseStatus: 503,
} as const;
const transient = { ...failed, status: 'PENDING', retryInSeconds: 60, answer: 'HTTP 503: no' } as const;

describe('a settlement', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const token = randomUUID();
  const aClaimedEvent = async (columns = {}) => {
    const id = await anEvent(database(), columns);
    await claim(database(), { leaseToken: token });
    return id;
  };
  const settle = (settlements: Settlement[]) => settleEvents(database().db, { runId: '7', settlements });
  const read = async (columns: string) => (await database().sql(`select ${columns} from dlq_events`))[0];

  it('closes a delivered event at once, and keeps its retry count and failure kind', async () => {
    const id = await aClaimedEvent({ retry_count: 3, failure_kind: 'transient' });
    assert.deepEqual(await settle([aSettlement(id, token)]), [{ id, leaseToken: token, isLocked: false }]);

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

  it('closes as delivered what its consumer had given up before an operator replayed it', async () => {
    const id = await aClaimedEvent({ failure_kind: 'permanent' });
    await settle([aSettlement(id, token)]);
    assert.deepEqual(await read('status'), { status: 'SUCCEEDED' });
  });

  it('of two deliveries of an event takes that of the lease which holds it, in any order', async () => {
    const stale = randomUUID();
    for (const isFirst of [true, false]) {
      const id = await aClaimedEvent();
      const both = [aSettlement(id, stale, transient), aSettlement(id, token)];
      await settle(isFirst ? both : both.toReversed());

      assert.deepEqual(await read('status, retry_count'), { status: 'SUCCEEDED', retry_count: 0 });
      await database().clear('dlq_events');
    }
  });

  it('counts a delivery as stale whose event was claimed again and is settled with it', async () => {
    await anEvent(database());
    const [event] = await claim(database(), { leaseToken: token });
    assert.ok(event);
    const delivered = (leaseToken: string, endsAt: number) => {
      const lease = { token: leaseToken, endsAt: Date.now() + endsAt };
      const route = aRouteTo('http://shop/');
      return { event, lease, route, settlement: aSettlement(event.id, leaseToken) };
    };
    const batch = [delivered(randomUUID(), 1000), delivered(token, 60_000)];
    const deps = { db: database().db, routes: [], retry: retryConfig() };

    const { settled, locked } = await settleBatch({ deps, runId: null }, batch);
    assert.deepEqual([settled.map(({ isSettled }) => isSettled), locked], [[false, true], []]);
  });

  it('returns a failed event to PENDING for its backoff', async () => {
    const id = await aClaimedEvent({ retry_count: 3 });
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

  it('ends the lease for every outcome', async () => {
    for (const more of [{}, transient, { status: 'FAILED_PERMANENTLY' } as const]) {
      await settle([aSettlement(await aClaimedEvent(), token, more)]);
    }

    assert.deepEqual(await database().sql('select distinct lease_token, lease_expires_at from dlq_events'), [
      { lease_token: null, lease_expires_at: null },
    ]);
  });

  it('with an invalid token changes nothing and writes no attempt', async () => {
    const id = await aClaimedEvent();
    const before = await read('*');

    assert.deepEqual(await settle([aSettlement(id, randomUUID())]), []);
    assert.deepEqual(await read('*'), before);
    assert.deepEqual(await database().sql('select from dlq_attempts'), []);
  });

  it('changes nothing after another worker claimed the event', async () => {
    const id = await aClaimedEvent();
    await endLeases(database());
    await recover({ db: database().db, retry: retryConfig() });
    const [taken] = await claim(database());

    assert.deepEqual([taken?.id, await settle([aSettlement(id, token)])], [id, []]);
  });

  it('without an outcome returns the event to its previous state', async () => {
    const retry_after = new Date('2026-01-01T00:00:00Z');
    const id = await aClaimedEvent({ retry_count: 2, retry_after });
    await settle([aSettlement(id, token, { status: 'PENDING', outcome: null, retryInSeconds: null })]);

    assert.deepEqual(await read('status, retry_count, retry_after'), {
      status: 'PENDING',
      retry_count: 2,
      retry_after,
    });
    assert.deepEqual(await database().sql('select from dlq_attempts'), []);
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
