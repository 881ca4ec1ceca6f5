import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { holdSlot, openSlots, type Slot, takeSlot } from '../../../shared/delivery/slots.ts';
import { emptyTally } from '../../../shared/delivery/tally.ts';
import { DatabaseUnavailableError } from '../../../shared/errors.ts';
import { closeIdleRun, openTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';

describe('the slots of a run', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const open = async (workers: number, token: string = randomUUID()) => {
    const [run] = await openTick(database().db, {
      token,
      workers,
      allowance: 0,
      routes: 'one',
    });
    const runId = run?.id ?? '';
    await openSlots(database().db, { runId, workers });
    return { ...run, runId, token };
  };
  const take = async (runId: string, workers = 4) => {
    const token = randomUUID();
    const terms = { runId, token, workers, routes: 'one' };
    const [taken] = await takeSlot(database().db, terms);
    return taken && { runId, number: taken.slot, token, dueAt: taken.dueAt };
  };
  const hold = ({ runId, ...slot }: Slot & { readonly runId: string }, delivered = 0) => {
    const held = holdSlot(database(), runId, slot);
    const tally = { ...emptyTally(), claimed: delivered, delivered };
    Object.assign(held.tallies, { all: tally, targets: { 'http://shop/': tally } });
    return held;
  };
  const close = async (runId: string) =>
    (await closeIdleRun(database().db, { runId, stopped: 'nothing due' }))[0];

  it('are never assigned to more workers than exist, however many request one at once', async () => {
    const { runId } = await open(8);
    const taken = await Promise.all(Array.from({ length: 40 }, () => take(runId, 8)));
    const slots = taken.flatMap((each) => each?.number ?? []).sort();
    // The tick itself has the first slot.
    assert.deepEqual(slots, [2, 3, 4, 5, 6, 7, 8]);
  });

  it('are opened by one of many concurrent ticks', async () => {
    const ticks = await Promise.all(Array.from({ length: 20 }, () => open(2)));
    assert.equal(ticks.filter(({ slot }) => slot === 1).length, 1);
    assert.equal(new Set(ticks.map(({ runId }) => runId)).size, 1);
  });

  it('are found while another worker takes one', async () => {
    const { runId } = await open(3);
    const takes = `select from dlq_run_workers where run_id = ${runId} and slot = 2 for update`;
    await whileTransactionIsOpen(database().url, takes, async () => {
      assert.equal((await take(runId))?.number, 3);
      assert.equal(await take(runId), undefined);
    });
    assert.equal((await take(runId))?.number, 2);
  });

  it('decrease with WORKERS', async () => {
    const { runId } = await open(4);
    assert.equal((await take(runId, 2))?.number, 2);
    assert.equal(await take(runId, 2), undefined);
  });

  it('are freed after a worker was silent, which detects the loss', async () => {
    const { runId, token } = await open(1);
    const silent = hold({ runId, number: 1, token, dueAt: '' });
    await database().sql('update dlq_run_workers set heartbeat_at = default');
    assert.equal((await take(runId))?.number, 1);
    await silent.report();
    assert.equal(silent.isLost(), true);
    await silent.leave();
    assert.equal(await take(runId), undefined);
  });

  it('are one more for a tick that finds a lease that ended long ago, whatever their heartbeats say', async () => {
    const { runId } = await open(2);
    const expire = (secondsAgo: number) =>
      database().sql(
        `insert into dlq_leases (token, event_ids, leased_at, seconds)
         values (gen_random_uuid(), '{}', now() - make_interval(secs => 60 + $1), 60)`,
        [secondsAgo],
      );
    await expire(1);
    assert.equal((await open(2)).slot, null);
    await expire(11);
    assert.deepEqual([(await open(2)).slot, (await open(2)).slot], [3, null]);
    assert.equal((await take(runId, 2))?.number, 2);
  });

  it('share a limit of events, which a further tick sets again once their workers have died', async () => {
    const limitAfter = async (allowance: number) => {
      const terms = { token: randomUUID(), workers: 1, allowance, routes: 'one' };
      await openTick(database().db, terms);
      return (await database().sql<{ allowance: number }>('select allowance from dlq_runs'))[0]?.allowance;
    };
    assert.deepEqual([await limitAfter(5), await limitAfter(7)], [5, 5]);
    await database().sql('update dlq_run_workers set heartbeat_at = default');
    assert.equal(await limitAfter(7), 7);
  });

  it('keep all tallies that their workers report concurrently', async () => {
    const { runId, token } = await open(8);
    const others = await Promise.all(Array.from({ length: 7 }, () => take(runId, 8)));
    const slots = [{ runId, number: 1, token, dueAt: '' }, ...others.flatMap((each) => each ?? [])];
    const held = slots.map((slot) => hold(slot, 10));
    for (let round = 1; round <= 5; round++) {
      await Promise.all(held.map(({ report }) => report()));
      for (const { tallies } of held) tallies.all.claimed = tallies.all.delivered += 1;
    }
    await Promise.all(held.map(({ leave }) => leave()));
    const run = await close(runId);
    assert.deepEqual([run?.tally.delivered, run?.targets['http://shop/']?.delivered], [120, 120]);
  });

  it('add what a worker has done once, also if the answer to a report was lost', async () => {
    const { runId, token } = await open(1);
    const { db } = database();
    let isLost = false;
    const losing: typeof db.query = async (query) => {
      const answer = await db.query(query);
      if (query.name === 'report-work' && !isLost) {
        isLost = true;
        throw new DatabaseUnavailableError(new Error('Query read timeout'));
      }
      return answer as never;
    };
    const slot = { number: 1, token, dueAt: '' };
    const held = holdSlot({ db: { ...db, query: losing } }, runId, slot);
    const tally = { ...emptyTally(), claimed: 5, delivered: 5 };
    Object.assign(held.tallies, { all: tally, targets: { 'http://shop/': tally } });
    await assert.rejects(held.report(), DatabaseUnavailableError);
    await held.leave();
    const run = await close(runId);
    assert.deepEqual([run?.tally.delivered, run?.targets['http://shop/']?.delivered], [5, 5]);
  });

  it('are deleted with their run, which the last worker to leave closes', async () => {
    const { runId, token } = await open(2);
    const second = await take(runId);
    assert.ok(second);
    await hold({ runId, number: 1, token, dueAt: '' }).leave();
    assert.equal(await close(runId), undefined);
    await hold(second).leave();
    assert.ok(await close(runId));
    assert.equal(await close(runId), undefined);
    assert.equal(await take(runId), undefined);
    assert.deepEqual(await database().sql('select * from dlq_run_workers'), []);
  });

  it('report a later dueAt after another tick extended the run', async () => {
    const { runId, token, dueAt } = await open(1);
    const held = hold({ runId, number: 1, token, dueAt: dueAt ?? '' });
    assert.equal((await open(1)).slot, null);
    await held.report();
    assert.ok(held.dueAt() > (dueAt ?? ''));
    await held.leave();
  });
});
