import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { changeGroups } from '../../../shared/groups/change-groups.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { sendForm, useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('histories in the console', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const read = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  beforeEach(async () => {
    await database().clear();
  });

  it('the timeline of an event folds attempts in a row with the same answer', async () => {
    const id = await anEvent(database());
    await database().sql(
      `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, response_status)
       select $1, n, 'transient', 'http://shop/', now() + make_interval(mins => n), 5, case n when 7 then 500 else 503 end
       from generate_series(1, 8) as n`,
      [id],
    );
    const [, history = ''] = (await read(`events/${id}`)).split('id="history"');
    const [shown = '', folded = ''] = history.split('5 earlier ones alike, since <time');
    assert.equal(shown.match(/HTTP 503/g)?.length, 2);
    assert.equal(folded.match(/HTTP 503/g)?.length, 5);
    assert.equal(history.match(/HTTP 500/g)?.length, 1);
  });

  it('the history of an error names the action and the end of a mute', async () => {
    await anEvent(database(), { fingerprint: 'v1:a' });
    await refresh(database().db);
    const mutedUntil = new Date('2030-01-02T03:04:05Z');
    await changeGroups(database().db, ['v1:a'], { state: 'MUTED', mutedUntil, actor: 'ann' });
    await changeGroups(database().db, ['v1:a'], { state: 'ACKNOWLEDGED', actor: 'bob' });
    const page = await read('groups/v1:a');
    assert.match(page, /<strong>ann<\/strong> muted an error\s+until <time datetime="2030-01-02T03:04:05/);
    assert.match(page, /<strong>bob<\/strong> acknowledged an error/);
  });

  it('a discard leads to the discarded events, and to the preview that undoes it', async () => {
    await anEvent(database(), { event_type: 'order.paid' });
    const sent = await sendForm(`${served().url}/events/discard`, { q: 'type:order.*', reason: 'junk' });
    const cookie = sent.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
    const list = await fetch(`${served().url}${sent.headers.get('location')}`, {
      headers: { cookie: cookie.join('; ') },
    });
    const page = await list.text();
    assert.match(page, /1 event was discarded\. <a href="([^"]*)">Undo…<\/a>/);
    assert.match(page, /value="type:order\.\* status:DISCARDED"/);
    const [, undo = ''] = /<a href="([^"]*)">Undo…/.exec(page) ?? [];
    assert.match(await read(undo), /Undo for 1 event</);
    await sendForm(`${served().url}/${undo}`, { reason: 'a mistake' });
    const [event] = await database().sql(`select status from dlq_events where event_type = 'order.paid'`);
    assert.deepEqual(event, { status: 'PENDING' });
    assert.match(await read('activity'), /undid.*discarded.*\(1 event\).*a mistake/s);
    assert.match(await read(undo), /Stays as it is.*returned by an undo before/s);
  });

  it('ticks that claimed events have pages of their own', async () => {
    await database().sql(
      `insert into dlq_runs (trigger, started_at, ended_at, stopped, tally)
       select 'schedule', now() - make_interval(mins => n), now(), 'nothing due', json_build_object('claimed', n)
       from generate_series(0, 30) as n`,
    );
    const first = await read('runs?view=ticks');
    assert.equal(first.match(/<td class="">\d+ events? claimed/g)?.length, 25);
    const [, next = ''] = /href="(runs\?view=ticks&amp;before=\d+)" rel="next"/.exec(first) ?? [];
    const second = await read(next.replace('&amp;', '&'));
    assert.equal(second.match(/<td class="">\d+ events? claimed/g)?.length, 5);
    assert.match(second, /href="runs\?view=ticks">First page/);
  });

  it('the footer offers users of Identity-Aware Proxy to sign out, and no other', async () => {
    const link = 'href="?gcp-iap-mode=CLEAR_LOGIN_COOKIE"';
    assert.ok((await read('')).includes(link));
    served().caller = { name: 'local:ann', via: 'local', isOperator: true };
    assert.ok(!(await read('')).includes(link));
  });
});
