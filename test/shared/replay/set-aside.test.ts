import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { typedEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, progressOf } from '../../support/runs.ts';

describe('a replay of events that fail because of themselves', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const deps = () => ({ db: database().db, retry: retryConfig(), routes: [aRouteTo(target().url)] });
  const work = (id: string) => workOnReplay(deps(), id, { endsAt: Date.now() + 100_000 });
  const fail = () => {
    target().answer = ({ body }, response) => response.writeHead(body.includes('sick') ? 500 : 200).end();
  };
  const reasons = (id: string) =>
    database().sql(
      `select outcome, reason, count(*)::int as events from dlq_run_events
       where run_id = $1 and reason is not null group by 1, 2 order by 1, 2`,
      [id],
    );

  beforeEach(() => database().clear());

  it('goes on behind 30 that fail, and delivers all others', async () => {
    await typedEvents(database(), 30, 'sick');
    await typedEvents(database(), 100, 'order.created');
    fail();
    const { id } = await aRun(deps(), { pace: 'fast' });
    assert.equal(await work(id), 'ended');
    const { delivered, failed } = await progressOf(database(), id);
    assert.deepEqual([delivered, failed], [100, 30]);
  });

  it('sets the rest of a cause aside when five samples fail, and names it', async () => {
    await typedEvents(database(), 30, 'sick');
    await typedEvents(database(), 10, 'order.created');
    fail();
    await runTick(deps());
    const { id } = await aRun(deps(), { pace: 'fast' });
    assert.equal(await work(id), 'ended');
    assert.deepEqual(await reasons(id), [
      { outcome: 'failed', reason: 'transient', events: 5 },
      { outcome: 'skipped', reason: 'cause', events: 25 },
    ]);
  });

  it('sends the rest of a cause when a sample passes', async () => {
    await typedEvents(database(), 30, 'sick');
    await typedEvents(database(), 1, 'order.created');
    fail();
    await runTick(deps());
    target().answer = (_, response) => response.end();
    const { id } = await aRun(deps(), { pace: 'fast' });
    await work(id);
    assert.equal((await progressOf(database(), id)).delivered, 30);
  });

  it('sends all of a cause without a gate', async () => {
    await typedEvents(database(), 30, 'sick');
    await typedEvents(database(), 1, 'order.created');
    fail();
    await runTick(deps());
    const { id } = await aRun(deps(), { pace: 'ungated' });
    await work(id);
    assert.equal((await progressOf(database(), id)).failed, 30);
  });

  it('pauses when a dozen failed and none passed', async () => {
    await typedEvents(database(), 100, 'sick');
    fail();
    const { id } = await aRun(deps(), { pace: 'fast' });
    assert.equal(await work(id), 'paused');
  });
});
