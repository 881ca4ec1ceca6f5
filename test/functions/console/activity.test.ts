import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useApi } from '../../support/api.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';

describe('the activity page', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const api = useApi(database);
  before(async () => {
    await anEvent(database());
    await api().post('/events/discard', { filter: { eventType: 'order.*' }, reason: 'wrong schema' });
    await database().sql(
      `insert into dlq_audit (actor, action, reason, run_id, at)
       select 'bob@example.com', 'create run', 'run no. ' || n, n, now() - interval '2 days' from generate_series(1, 60) n`,
    );
  });
  const read = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  const countRows = (page: string) => page.split('<tr>').length - 2;

  it('lists who did what, on which events and why, with a way back from a discard', async () => {
    const page = await read('activity?action=discard');

    assert.equal(countRows(page), 1);
    for (const text of [
      '<td class="by wide-only wrap">local:ann</td>',
      'discarded',
      'wrong schema',
      'href="events?q=type%3Aorder.*+status%3ADISCARDED"',
      '>1 event</a>',
      '/undo">Undo for 1 event…</a>',
    ])
      assert.ok(page.includes(text), text);
  });

  it('reports a shift as Markdown: what failed, what was done and why, and what is left', async () => {
    await anEvent(database(), {
      status: 'FAILED_PERMANENTLY',
      error_reason: 'no <currency>',
      fingerprint: 'v1:currency',
    });
    const page = await read('activity/report?hours=12');
    const [, report = ''] = /<pre class="code" id="report">([\s\S]*?)<\/pre>/.exec(page) ?? [];

    assert.match(
      report,
      /## What failed, without muted errors\n[^#]*- 1 × .*no &lt;currency&gt; \(now 0 open, 1 failed permanently\)/,
    );
    assert.match(report, /## What was done\n\n- .* UTC local:ann discarded 1 event: wrong schema/);
    assert.match(report, /## What is left\n\n- 1 event failed permanently: .*no &lt;currency&gt;/);
  });

  it('says what was done to an error, a run and a target, with a link to each', async () => {
    await database().sql(`
      insert into dlq_audit (at, actor, action, reason, run_id, details)
      select now() - interval '2 days', * from (values
        ('eve', 'cancel run', 'enough', 7, '{}'::jsonb),
        ('eve', 'hold target', 'a release', null, '{"target": "http://shop/orders"}'),
        ('eve', 'change group', null, null, '{"fingerprint": "v2:a", "from": {"state": "OPEN"}, "to": {"state": "MUTED"}}')
      ) as actions (actor, action, reason, run_id, details)`);
    const page = (await read('activity?actor=eve')).replaceAll(/<a [^>]*>|<\/a>|<wbr>/g, '');

    for (const text of ['cancelled run 7', 'held a target shop/orders', 'muted an error v2:a'])
      assert.ok(page.includes(text), text);
  });

  it('pages through the actions of an actor', async () => {
    const first = await read('activity?actor=BOB');
    const [, next = ''] = /href="([^"]+)" rel="next"/.exec(first) ?? [];
    const second = await read(next.replaceAll('&amp;', '&'));

    assert.deepEqual([first, second].map(countRows), [50, 10]);
    assert.match(second, /run no\. 1</);
  });

  it('lists the actions of a period, as the API does', async () => {
    assert.equal(countRows(await read('activity?since=24h')), 1);
    const { body } = await api().get<{ items: object[] }>('/audit?since=24h&actor=ann&action=discard');
    assert.equal(body.items.length, 1);
  });

  it('shows the undo of an action by the id of its outcome, too', async () => {
    const [outcome] = await database().sql<{ id: string; closes: string }>(
      "select id, closes from dlq_audit where closes is not null and action = 'discard' order by id limit 1",
    );
    const page = await read(`activity/${outcome?.id}/undo`);
    assert.ok(page.includes(`action="activity/${outcome?.closes}/undo"`));
  });

  it('offers the undo of a hold while it holds, and none of an action that moved nothing', async () => {
    await database().sql(`insert into dlq_audit (actor, action, details)
      values ('zoe', 'hold target', '{"target": "http://shop/orders"}')`);
    await database().sql(`insert into dlq_breakers (target, held_at, held_by, held_reason, held_until)
      select 'http://shop/orders', at, actor, 'a release', 'infinity' from dlq_audit where actor = 'zoe' and action = 'hold target'`);
    await api().post('/events/discard', { filter: { eventType: 'none' }, reason: 'nothing' });
    const countUndos = async () =>
      (await read('activity?since=1h')).match(/\/undo">Undo(?! for 1 event)/g)?.length ?? 0;

    assert.equal(await countUndos(), 1);
    const held = /activity\/(\d+)\/undo">Undo…/.exec(await read('activity?actor=zoe'))?.[1];
    await database().sql("update dlq_breakers set held_until = now() - interval '1 s'");
    assert.equal(await countUndos(), 0);
    assert.match(await read(`activity/${held}/undo`), /is no longer held by this action/);
  });

  it('offers no second undo of an action on many events', async () => {
    await manyEvents(database(), 2100, 'order.bulk');
    const filter = { eventType: 'order.bulk' };
    const { body } = await api().post<{ auditId: string }>('/events/discard', { filter, reason: 'all' });
    const undo = `activity/${body.auditId}/undo`;
    assert.ok((await read('activity')).includes(`href="${undo}">Undo`));
    await api().post(`/audit/${body.auditId}/undo`, { reason: 'too many' });
    assert.ok(!(await read('activity')).includes(`class="small" href="${undo}"`));
    const page = await read(undo);
    assert.match(page, /Undo for 0 events/);
    assert.doesNotMatch(page, /name="reason"/);
  });

  it('reports what failed from the first minute of its period on', async () => {
    const at = new Date(Date.now() - 8 * 3_600_000);
    const times = { created_at: at, first_failure_at: at, last_failure_at: at };
    await anEvent(database(), { ...times, error_reason: 'at the start', fingerprint: 'v1:start' });
    const [, report = ''] = /id="report">([\s\S]*?)<\/pre>/.exec(await read('activity/report')) ?? [];
    assert.match(report, /to .* UTC\n\n## What failed, without muted errors\n\n[^#]*1 × at the start/);
    const [, since = ''] = /^# Dead letters: (.*?) UTC to /.exec(report) ?? [];
    assert.ok(new Date(`${since}Z`) <= at, since);
  });

  it('reports edits and replays with their events, and no search', async () => {
    await database().sql(`
      insert into dlq_audit (actor, action, run_id, details) values
        ('ann', 'edit', null, '{"filter": {"ids": ["7"]}}'),
        ('ann', 'compare masked values', null, '{}'),
        ('ann', 'create run', 9, '{"selected": 299}')`);
    const [, report = ''] = /id="report">([\s\S]*?)<\/pre>/.exec(await read('activity/report')) ?? [];

    assert.match(report, /ann edited 1 event\n- .* ann replayed run 9 \(299 events\)\n\n## What is left/);
  });

  it('leads to the events of an action, whose status is no longer that of its filter', async () => {
    const id = await anEvent(database(), { event_type: 'mail', status: 'FAILED_PERMANENTLY' });
    const filter = { eventType: 'mail', status: 'FAILED_PERMANENTLY' };
    await api().post('/events/discard', { filter, reason: 'sent by hand' });
    const [, href = ''] = /href="(events[^"]*)">1 event</.exec(await read('activity')) ?? [];

    assert.match(await read(href), new RegExp(`href="events/${id}"`));
  });
});
