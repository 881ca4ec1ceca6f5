import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { RetryConfig } from '../../../shared/config/retry.ts';
import { theSchedule } from '../../../shared/delivery/breakers.ts';
import { DatabaseUnavailableError } from '../../../shared/errors.ts';
import { forecast } from '../../../shared/schedule/forecast.ts';
import { joinRun, runTick } from '../../../shared/schedule/run-tick.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { whyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { pauseSchedule } from '../../../shared/targets/change-hold.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a tick that cannot begin its work', () => {
  const database = useDatabase();

  it('leaves its slot, so that the next one works', async () => {
    const deps = { db: database().db, retry: retryConfig(), routes: [aRouteTo('http://shop/')] };
    await whileTransactionIsOpen(database().url, 'lock table dlq_breakers in share mode', async () => {
      await assert.rejects(runTick(deps), DatabaseUnavailableError);
    });

    assert.equal((await runTick(deps)).stopped, 'nothing due');
  });
});

describe('a paused schedule', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = (settings: Partial<RetryConfig> = {}) => ({
    db: database().db,
    retry: retryConfig(settings),
    routes: [aRouteTo(target().url, { policy: { concurrency: 1 } })],
  });
  const pause = () => pauseSchedule(database().db, { actor: 'ada', reason: 'x', until: undefined });
  const runs = () =>
    database().sql<{ id: string; stopped: string | null }>('select id, stopped from dlq_runs order by id');

  it('stops a tick that is running: it claims nothing more', async () => {
    await manyEvents(database(), 40);
    const settings = { batchSize: 1 };
    target().answer = async (_, response) => {
      if (target().received.length === 1) {
        await pause();
        await waitUntil('a heartbeat after the pause', async () => {
          const beats = await database().sql(
            `select from dlq_run_workers where heartbeat_at > (
               select held_at from dlq_breakers where target = $1)`,
            [theSchedule],
          );
          return beats.length > 0;
        });
      }
      response.end();
    };
    const { stopped, tally } = await runTick(deps(settings));

    assert.equal(stopped, 'the schedule is paused');
    assert.ok(tally.delivered <= 3, `${tally.delivered} events were delivered.`);
    assert.equal((await runs())[0]?.stopped, 'the schedule is paused');
  });

  it('closes a tick that was interrupted: none is shown as running', async () => {
    await manyEvents(database(), 2);
    const stopping = AbortSignal.abort();
    const shutdown = { stopping, ending: stopping };
    const topic = { continueTopic: 'http://127.0.0.1:1/' };
    await runTick({ ...deps(topic), shutdown });
    assert.deepEqual(
      (await runs()).map(({ stopped }) => stopped),
      [null],
    );
    await pause();
    await runTick(deps());

    assert.deepEqual(
      (await runs()).map(({ stopped }) => stopped),
      ['the schedule is paused'],
    );
  });

  it('is one with RETRY_ENABLED=false, too: each event says so, and no worker delivers what is due', async () => {
    const id = await anEvent(database());
    const off = deps({ enabled: false });
    const event = {
      id,
      eventType: 'order.created',
      sourceKind: 'kafka',
      sourceTopic: null,
      consumerGroup: null,
    };
    assert.equal((await whyNotNow(off, event))?.reason, 'schedule-paused');
    const { due, paused, nextTick } = await forecast(off, await readSnapshot(off));
    assert.deepEqual([due, paused?.by, nextTick], [0, 'RETRY_ENABLED=false', 0]);

    assert.match((await runTick(off)).stopped, /switched off/);
    await database().sql(`insert into dlq_runs (trigger, due_at) values ('schedule', now())`);
    const [{ id: runId = '' } = {}] = await runs();
    await joinRun(off, runId);
    assert.deepEqual([target().received.length, (await runs())[0]?.stopped], [0, 'the schedule is paused']);
  });

  it('delivers replays with RETRY_ENABLED=false: by requested workers, and by ticks', async () => {
    const off = deps({ enabled: false });
    for (const work of [(run: string) => joinRun(off, run), () => runTick(off)]) {
      const run = await aRun(off, { filter: { ids: [await anEvent(database())] } });
      await work(run.id);
      assert.equal((await runs()).at(-1)?.stopped, 'all done');
    }
  });
});
