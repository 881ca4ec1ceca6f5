import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { sendForm, useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('the schedule on the page of runs', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = [aRouteTo('http://shop/')];
  const served = useConsole(database, { routes });
  const read = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  const change = (command: string, reason = 'a migration') =>
    sendForm(`${served().url}/runs`, { command, reason });
  const tick = () => runTick({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  let id = '';

  it('is paused with a reason: ticks claim nothing, and every page says so', async () => {
    id = await anEvent(database(), {});
    assert.equal((await change('pause', ' ')).status, 400);
    assert.equal((await change('pause')).status, 303);
    const { stopped, tally } = await tick();

    assert.deepEqual([stopped, tally.claimed], ['the schedule is paused', 0]);
    const runs = await read('runs');
    assert.match(runs, /ada@example\.com paused the schedule: a migration\./);
    assert.match(runs, /Due now<\/span><span>0<.*Held back<\/span><span>1</s, 'nothing is due');
    assert.match(await read(`events/${id}`), /The schedule is paused\. ada@example\.com: a migration/);
    assert.match(await read(''), /1 schedule paused<.*>Resume…</s);
    assert.doesNotMatch(await read('targets'), />schedule</);
  });

  it('probes no target while it is paused', async () => {
    await database().sql(
      `insert into dlq_breakers (target, cause, state, answer, cooldown_seconds, probe_after, opened_at)
       values ('http://shop/', 0, 'OPEN', 'HTTP 503', 60, now() - interval '1 second', now())`,
    );
    for (const path of ['runs', 'targets', 'targets/http%3A%2F%2Fshop%2F']) {
      const page = await read(path);
      assert.match(page, />down<\/span>| is down: /);
      assert.doesNotMatch(page, /probes|next probe|probe due/, path);
    }
    await database().sql("delete from dlq_breakers where target <> 'schedule'");
  });

  it('is paused for a length of time, and says what a time is like', async () => {
    await change('resume');
    const pause = (until: string) =>
      sendForm(`${served().url}/runs`, { command: 'pause', reason: 'a release', until });
    const page = await (await pause('noon')).text();
    assert.match(page, /<code>until<\/code> Give .*5m.*2025-11-01T10:00:00Z/);
    assert.match(page, /name="reason" value="a release".*name="until" value="noon".*>Pause the schedule</s);
    assert.equal((await pause('2h')).status, 303);
    const [held] = await database().sql(
      "select round(extract(epoch from held_until - held_at) / 600)::int as periods from dlq_breakers where target = 'schedule'",
    );

    assert.equal(held?.periods, 12);
  });

  it('goes on when it is resumed, or its pause is undone', async () => {
    assert.equal((await change('resume')).status, 303);
    assert.equal((await tick()).tally.delivered, 1);
    assert.match(await read('activity'), /resumed the schedule.*paused the schedule/s);

    const paused = await change('pause');
    assert.match(await (await change('pause')).text(), /The schedule is paused already/);
    const options = (await read('activity')).match(/(?<=<option value=")\w+ schedule(?=">\w+ the schedule)/g);
    assert.deepEqual(options, ['pause schedule', 'resume schedule']);
    assert.match(await read('activity?action=pause+schedule'), /ada@example\.com<.*paused the schedule/s);
    const [, undo = '', id] = /href="(activity\/(\d+)\/undo)"/.exec(await read('activity')) ?? [];
    assert.match(paused.headers.get('set-cookie') ?? '', new RegExp(`%0A${id};`), 'its notice offers it');
    assert.equal((await sendForm(`${served().url}/${undo}`, { reason: 'too early' })).status, 303);
    assert.doesNotMatch(await read('runs'), /paused the schedule/);
    assert.match(await (await change('resume')).text(), /The schedule is not paused/);
  });

  it('is not late after a pause, whose ticks are recorded as such', async () => {
    await database().clear('dlq_runs');
    await database().sql(
      `insert into dlq_runs (trigger, started_at, ended_at, stopped)
       select 'schedule', at, at, 'nothing due'
       from generate_series(now() - interval '36 hours', now() - interval '12 hours', '6 hours') as at`,
    );
    await change('pause');
    await tick();
    assert.match(await read(''), /Last tick.*the schedule is paused/s);
    await change('resume');

    assert.doesNotMatch(await read(''), /schedule is late/);
  });

  it('expects a tick after regular ones alone: by hand they come at any time', async () => {
    await change('resume');
    const ticksAt = async (...hoursAgo: readonly number[]) => {
      await database().clear('dlq_runs');
      await database().sql(
        `insert into dlq_runs (trigger, started_at, ended_at, stopped)
         select 'schedule', at, at, 'nothing due' from unnest($1::float[]) as hours, lateral (
           select now() - make_interval(hours => 1) * hours as at) as time order by at`,
        [hoursAgo],
      );
      return read('');
    };
    assert.match(await ticksAt(20, 14, 8), /A tick was expected .*2 h/);
    assert.match(await ticksAt(26, 20, 14, 13, 8), /A tick was expected .*2 h/);
    const seconds = await ticksAt(18.01, 12.01, 6.01);
    assert.match(seconds, /Next tick<\/span><span>expected /);
    assert.doesNotMatch(seconds, /A tick was expected|class="bad">expected/, 'it may be on its way');
    await ticksAt(0.75, 0.5, 0.25);
    await database().sql(
      "update dlq_runs set ended_at = null, stopped = null where started_at > now() - interval '20 min'",
    );
    await database().sql(
      'insert into dlq_run_workers select id, 1, null, now() from dlq_runs where ended_at is null',
    );
    assert.doesNotMatch(await read(''), /expected/, 'a tick that runs is joined by later calls');
    assert.match(await read(''), /Last tick.*running/s);
    await database().sql('update dlq_run_workers set heartbeat_at = default');
    assert.match(await read(''), /Last tick.*nothing was due \(interrupted: the next tick goes on\)/s);
    for (const byHand of [[9], [9, 8.9], [9, 8.9, 5], [9, 8.9, 8.5, 3]]) {
      assert.doesNotMatch(await ticksAt(...byHand), /expected/);
    }
  });
});
