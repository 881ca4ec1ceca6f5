import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { causeOf } from '../../../shared/delivery/cause.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { changeRun } from '../../../shared/replay/run.ts';
import { pauseSchedule } from '../../../shared/targets/change-hold.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';
import { itTriesOne } from '../../support/sample.ts';

describe('the overview in states that are rare', () => {
  const database = useDatabase();
  const routes = [
    aRouteTo('http://mail/', { match: { eventType: 'mail.*' } }),
    { ...aRouteTo('http://shop/', { match: { eventType: 'order.*' } }), ordered: true },
  ];
  const served = useConsole(database, { routes });
  beforeEach(() => database().clear());
  const read = async () => (await fetch(`${served().url}/`)).text();

  it('says of a target that is down that a paused schedule does not probe it', async () => {
    const { db } = database();
    await anEvent(database(), { event_type: 'mail.sent' });
    await pauseSchedule(db, { actor: 'ann', reason: 'a release', until: undefined });
    await database().sql(
      `insert into dlq_breakers (target, cause, state, answer, cooldown_seconds, probe_after, opened_at)
       values ('http://mail/', 0, 'OPEN', 'HTTP 503', 60, now() + interval '1 minute', now())`,
    );
    assert.match(await read(), /is down: began .*, the schedule, which is paused, does not probe it\./);
  });

  it('says once that a replay is paused, and by whom', async () => {
    const { db } = database();
    await anEvent(database(), { event_type: 'mail.sent' });
    const { id } = await aRun({ db, routes });
    await changeRun(db, 'pause', { runId: id, actor: 'ann', reason: 'a release' });
    assert.match(await read(), / is paused\. By ann: a release/);
  });

  it('does not ask for a decision about what an open replay may have selected', async () => {
    const id = await anEvent(database(), { event_type: 'mail.sent', status: 'FAILED_PERMANENTLY' });
    await refresh(database().db);
    assert.match(await read(), />1 needs a decision</);
    await aRun({ db: database().db, routes }, { filter: { ids: [id] } });
    assert.match(await read(), />1 failed permanently, in an open replay</);
  });

  it('still asks for a decision about the others of an error of which an open replay has selected one', async () => {
    const failed = { event_type: 'mail.sent', status: 'FAILED_PERMANENTLY' };
    const [id] = [await anEvent(database(), failed), await anEvent(database(), failed)];
    await refresh(database().db);
    await aRun({ db: database().db, routes }, { filter: { ids: [id] } });
    const page = await read();
    assert.match(page, />1 needs a decision · 1 failed permanently, in an open replay</);
    assert.match(page, /1 event failed permanently: .*1 event failed permanently, and an open replay/s);
  });

  // More events than are counted.
  itTriesOne('many events', {
    'counts no more than it knows of what fails by itself': async () => {
      const cause = causeOf('http://mail/', 'HTTP 500');
      await manyEvents(database(), 10_001, 'mail.sent');
      await database().sql('update dlq_events set cause = $1', [cause]);
      await database().sql(
        `insert into dlq_breakers (target, cause, state, answer, cooldown_seconds, probe_after, opened_at)
         values ('http://mail/', $1, 'OPEN', 'HTTP 500', 60, now(), now())`,
        [cause],
      );
      const more = 'more than 10,000';
      const says = `>${more} fail by themselves<.*${more} events wait: their cause fails by itself`;
      assert.match(await read(), new RegExp(says, 's'));
    },

    'says that one event of a target that is probed is due, however many wait': async () => {
      await manyEvents(database(), 10_001, 'mail.sent');
      await database().sql(
        `insert into dlq_breakers (target, cause, state, answer, cooldown_seconds, probe_after, opened_at)
         values ('http://mail/', 0, 'OPEN', 'HTTP 503', 60, now() - interval '1 second', now())`,
      );
      const runs = await (await fetch(`${served().url}/runs`)).text();
      for (const page of [runs, await read()]) {
        assert.match(page, /the next tick probes it\. 10,001 events wait/);
        assert.match(page, /Due now<\/span><span>1<.*Held back<\/span><span>more than [\d,]+</s);
      }
    },
  });

  it('says that more wait behind keys than those that it names', async () => {
    const waiting = { event_type: 'order.paid', consumer_group: 'shop' };
    for (const source_key of ['D-1', 'D-2', 'D-3', 'D-4']) {
      await anEvent(database(), { ...waiting, source_key, status: 'FAILED_PERMANENTLY' });
      for (let n = 0; n < 2; n++) await anEvent(database(), { ...waiting, source_key });
    }
    assert.match(await read(), />more than 6 events blocked by a key/);
  });

  it('has one number of what a tick has failed permanently', async () => {
    const tally = { claimed: 9, delivered: 2, permanent: 7, failedPermanently: 3 };
    const [tick] = await database().sql<{ id: string }>(
      `insert into dlq_runs (trigger, started_at, ended_at, stopped, tally, targets)
       values ('schedule', now(), now(), 'all done', $1, jsonb_build_object('http://mail/', $1::jsonb)) returning id`,
      [JSON.stringify(tally)],
    );
    const page = await (await fetch(`${served().url}/runs/${tick?.id}`)).text();
    assert.match(
      page,
      /3 events failed permanently.*<th[^>]*>Failed permanently<.*<td class="num">3<\/td><\/tr>/s,
    );
  });

  it('calls an error finished, on its page too, of which no event is left', async () => {
    await anEvent(database(), { status: 'SUCCEEDED', processed_at: new Date(), fingerprint: 'v1:done' });
    await refresh(database().db);
    const page = await (await fetch(`${served().url}/groups/v1:done`)).text();
    assert.match(page, /class="mark good">.*?finished</s);
    assert.doesNotMatch(page, />(Replay|Discard)…</);
    assert.doesNotMatch(page, /needs? (a decision|review)|no longer retried|not delivered yet/);
  });

  it('says that nothing failed without counting muted errors', async () => {
    await anEvent(database(), { event_type: 'mail.sent', fingerprint: 'v1:muted' });
    await refresh(database().db);
    await database().sql("update dlq_error_groups set state = 'MUTED', muted_until = 'infinity'");
    assert.match(await read(), /Nothing failed since <time.*?<\/time>, muted errors aside\./);
  });
});
