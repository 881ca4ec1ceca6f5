import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { type Front, openFronts } from '../../../shared/schedule/fronts.ts';
import { claim, idsOf } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { countPages } from '../../support/plans.ts';

describe('the front of a lane', () => {
  const database = useDatabase();
  const dueAt = '2100-01-01';
  let lane = '';
  beforeEach(async () => {
    await database().clear();
    await manyEvents(database(), 6);
    // Due at one moment, as after one statement of plain SQL.
    const [row] = await database().sql<{ lane: string }>(
      `update dlq_events set retry_after = '2026-01-02T03:04:05.000006Z' returning lane`,
    );
    lane = row?.lane ?? '';
  });
  const ids = async () =>
    (await database().sql<{ id: string }>('select id from dlq_events order by id')).map(({ id }) => id);
  const open = () => {
    const fronts = openFronts(database().db);
    const find = async () => (await fronts.find([{ lane }], dueAt)).get(lane) ?? [];
    return {
      find,
      claim: async (limit: number) => {
        const claimed = await claim(database(), { limit, dueAt, fronts: await find() });
        fronts.advance(claimed, limit);
        return idsOf(claimed).toSorted();
      },
    };
  };
  const idOf = ([front]: readonly Front[]) => front?.id;

  it('is its first due event, and after a full claim the last one of the claim', async () => {
    const [first, second, third, fourth] = await ids();
    const worker = open();
    assert.equal(idOf(await worker.find()), first);
    assert.deepEqual(await worker.claim(2), [first, second]);
    assert.equal(idOf(await worker.find()), second);
    assert.deepEqual(await worker.claim(2), [third, fourth]);
  });

  it('is found again after a claim that was not full, with what was released before it', async () => {
    const [first] = await ids();
    const worker = open();
    await worker.claim(4);
    await database().sql(`update dlq_events set status = 'PENDING' where id = $1`, [first]);
    assert.equal((await worker.claim(4)).length, 2);
    assert.deepEqual(await worker.claim(4), [first]);
  });

  it('is missing if nothing is due', async () => {
    const worker = open();
    await worker.claim(6);
    await database().sql(`update dlq_events set status = 'SUCCEEDED'`);
    assert.equal((await worker.claim(6)).length, 0);
    assert.deepEqual(await worker.find(), []);
  });

  it('spares a claim the versions of closed events that an old transaction keeps', async () => {
    await manyEvents(database(), 2000);
    const pin = 'set transaction isolation level repeatable read; select from dlq_events limit 1';
    await whileTransactionIsOpen(database().url, pin, async () => {
      const worker = open();
      const before = await countClaim(await worker.find());
      await worker.claim(1900);
      await database().sql(`update dlq_events set status = 'SUCCEEDED' where status = 'PROCESSING'`);
      const after = await countClaim(await worker.find());
      assert.ok(after < 2 * before, `${before} pages before, ${after} after`);
    });
  });

  const countClaim = (fronts: readonly Front[]) =>
    countPages(database(), 'claim-events', {
      ...{ runId: '1', limit: 20, dueAt, leaseToken: randomUUID(), leaseSeconds: 60, maxLost: 5 },
      lanes: [{ lane, route: 0, quota: 20, fronts, maxRetries: 9, target: 'http://shop/' }],
    });
});
