import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { closeIdleRun, openTick } from '../../shared/runs.ts';
import { holdSlot, takeSlot } from '../../shared/slots.ts';
import { emptyTally, type Tallies } from '../../shared/tally.ts';
import { useDatabase } from '../support/database.ts';
import { whileTransactionIsOpen } from '../support/open-transaction.ts';

describe('the slots of a run', () => {
  const database = useDatabase();
  beforeEach(() => database().sql('truncate dlq_runs, dlq_run_workers cascade'));
  const open = async (workers: number, token: string = randomUUID()) => {
    const [run] = await openTick(database().db, { token, workers, aliveSeconds: 60, allowance: null });
    return { ...run, runId: run?.id ?? '', token };
  };
  const take = async (runId: string, workers = 4) => {
    const token = randomUUID();
    const [taken] = await takeSlot(database().db, { runId, token, workers, aliveSeconds: 60 });
    return taken && { runId, slot: taken.slot, token, dueAt: taken.due_at };
  };
  const hold = (slot: Parameters<typeof holdSlot>[1], delivered = 0) => {
    const tally = { ...emptyTally(), claimed: delivered, delivered };
    const tallies: Tallies = { all: tally, targets: { 'http://shop/': tally } };
    return { tallies, ...holdSlot(database().db, slot, { tallies, aliveSeconds: 60 }) };
  };
  const close = async (runId: string) =>
    (await closeIdleRun(database().db, { runId, stopped: 'nothing due' }))[0];

  it('are never given to more workers than there are, however many ask at once', async () => {
    const { runId } = await open(8);
    const taken = await Promise.all(Array.from({ length: 40 }, () => take(runId, 8)));
    const slots = taken.flatMap((each) => each?.slot ?? []).sort();
    // The first is that of the tick itself.
    assert.deepEqual(slots, [2, 3, 4, 5, 6, 7, 8]);
  });

  it('are opened by one of many ticks that begin at once', async () => {
    const ticks = await Promise.all(Array.from({ length: 20 }, () => open(2)));
    assert.equal(ticks.filter(({ is_ours }) => is_ours).length, 1);
    assert.equal(new Set(ticks.map(({ runId }) => runId)).size, 1);
  });

  it('are looked for beside the one that another is just taking', async () => {
    const { runId } = await open(3);
    const takes = `select from dlq_run_workers where run_id = ${runId} and slot = 2 for update`;
    await whileTransactionIsOpen(database().url, takes, async () => {
      assert.equal((await take(runId))?.slot, 3);
      assert.equal(await take(runId), undefined);
    });
    assert.equal((await take(runId))?.slot, 2);
  });

  it('become fewer where WORKERS does', async () => {
    const { runId } = await open(4);
    assert.equal((await take(runId, 2))?.slot, 2);
    assert.equal(await take(runId, 2), undefined);
  });

  it('are free again after the silence of a worker, which learns of it', async () => {
    const { runId, token } = await open(1);
    const silent = hold({ runId, slot: 1, token, dueAt: '' });
    await database().sql('update dlq_run_workers set alive_until = now()');
    assert.equal((await take(runId))?.slot, 1);
    await silent.report();
    assert.equal(silent.isLost(), true);
    await silent.leave();
    assert.equal(await take(runId), undefined);
  });

  it('lose nothing of what their holders report at the same time', async () => {
    const { runId, token } = await open(8);
    const others = await Promise.all(Array.from({ length: 7 }, () => take(runId, 8)));
    const slots = [{ runId, slot: 1, token, dueAt: '' }, ...others.flatMap((each) => each ?? [])];
    const held = slots.map((slot) => hold(slot, 10));
    for (let round = 1; round <= 5; round++) {
      await Promise.all(held.map(({ report }) => report()));
      for (const { tallies } of held) tallies.all.claimed = tallies.all.delivered += 1;
    }
    await Promise.all(held.map(({ leave }) => leave()));
    const run = await close(runId);
    assert.deepEqual([run?.tally.delivered, run?.targets['http://shop/']?.delivered], [120, 120]);
  });

  it('are gone with their run, which the last worker to leave closes', async () => {
    const { runId, token } = await open(2);
    const second = await take(runId);
    assert.ok(second);
    await hold({ runId, slot: 1, token, dueAt: '' }).leave();
    assert.equal(await close(runId), undefined);
    await hold(second).leave();
    assert.ok(await close(runId));
    assert.equal(await take(runId), undefined);
    assert.deepEqual(await database().sql('select * from dlq_run_workers'), []);
  });

  it('tell their holder when a later tick adds to the run what has become due since', async () => {
    const { runId, token, due_at } = await open(1);
    const held = hold({ runId, slot: 1, token, dueAt: due_at ?? '' });
    assert.equal((await open(1)).is_ours, false);
    await held.report();
    assert.ok(held.dueAt() > (due_at ?? ''));
    await held.leave();
  });
});
