import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { html } from '../../../functions/console/html.ts';
import type { Database } from '../../../shared/database/database.ts';
import { actions } from '../../../shared/events/actions/actions.ts';
import { filterFields } from '../../../shared/events/filter/filter-fields.ts';
import type { Status } from '../../../shared/message/event.ts';
import { sendForm, useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('a form of the console', () => {
  const database = useDatabase();
  const served = useConsole(database, { routes: [aRouteTo('http://shop/')] });
  const production = useConsole(database, {
    routes: [aRouteTo('http://shop/')],
    environment: 'shop-production',
  });
  const reads: (string | undefined)[] = [];
  const counted = useConsole(database, {
    get db(): Database {
      const db = database().as('dlq_console');
      const query: Database['query'] = (asked) => {
        reads.push(asked.name);
        return db.query(asked);
      };
      return { ...db, query };
    },
  });
  const post = async (path: string, fields: Record<string, string>) => {
    const sent = await sendForm(`${served().url}/${path}`, fields);
    const location = sent.headers.get('location');
    const response = location === null ? sent : await fetch(served().url + location);
    return { status: response.status, text: await response.text() };
  };

  it('keeps an edit that is not JSON, and names its line and column', async () => {
    const id = await anEvent(database(), { payload: '{"amount": 1}' });
    const sent = { payload: '{"amount":\n  bad}', headers: '{}' };
    const { status, text } = await post(`events/${id}/edit`, sent);

    assert.equal(status, 400);
    assert.match(text, /<code>payload<\/code> Must be JSON: line 2, column 3: invalid symbol/);
    assert.ok(text.includes('{&quot;amount&quot;:\n  bad}') || text.includes('{"amount":\n  bad}'));
    assert.doesNotMatch(text, /<code>headers<\/code>/);
  });

  it('keeps an edit that changes nothing, and reads its event once for that', async () => {
    const id = await anEvent(database());
    reads.length = 0;
    const edit = { payload: '{\n  "orderId": 1\n}', headers: '{}' };
    const answer = await sendForm(`${counted().url}/events/${id}/edit`, edit);

    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /<code>payload<\/code> The message is unchanged/);
    assert.deepEqual(reads, ['read-event']);
  });

  it('has a result that the next page shows, once, and no refresh of another page before', async () => {
    const sent = await sendForm(`${served().url}/groups`, { command: 'RESOLVED' });
    const [cookie = ''] = sent.headers.get('set-cookie')?.split(';') ?? [];
    const read = async (dest: string) => {
      const answer = await fetch(`${served().url}/groups`, { headers: { cookie, 'sec-fetch-dest': dest } });
      return [/No error is selected/.test(await answer.text()), answer.headers.has('set-cookie')];
    };

    assert.deepEqual(
      [await read('empty'), await read('document')],
      [
        [true, false],
        [true, true],
      ],
    );
  });

  it('has the actions that fit the statuses of its filter', async () => {
    await anEvent(database());
    await anEvent(database(), { status: 'DISCARDED', processed_at: new Date() });
    const offered = async (q: string) => {
      const text = await (await fetch(`${served().url}/events?q=${q}`)).text();
      return [...text.matchAll(/name="command" value="(\w+)" data-key/g)].map(([, name]) => name);
    };
    const names = (status?: Status) =>
      actions.flatMap((action) => (status && !action.statuses.includes(status) ? [] : action.name));
    for (const status of ['PENDING', 'DISCARDED'] as const)
      assert.deepEqual(await offered(`status:${status}`), ['replay', ...names(status)]);
    assert.deepEqual(await offered(''), ['replay', ...names()]);
  });

  it('keeps an edit whose headers are not JSON', async () => {
    const id = await anEvent(database(), { payload: '{"amount": 1}' });
    const { text } = await post(`events/${id}/edit`, { payload: '{"amount": 2}', headers: '{"a": }' });
    assert.match(text, /<code>headers<\/code> Must be JSON: line 1, column 7: value expected/);
  });

  it('keeps the chosen pace of a replay and the reason, and estimates each pace', async () => {
    for (let i = 0; i < 20; i++) await anEvent(database(), { event_type: 'many' });
    const { text } = await post('runs/new', {
      q: 'type:many',
      command: 'preview',
      pace: 'careful',
      reason: 'repaired',
    });

    assert.match(text, /value="careful" checked/);
    assert.match(text, /At most 10 a second;.*<b>About 2 s\.<\/b>/);
    assert.match(text, /name="reason" value="repaired"/);
  });

  it('starts a replay at the chosen pace', async () => {
    await post('runs/new', {
      q: 'type:many',
      command: 'create',
      pace: 'careful',
      reason: 'a test',
      previewed: JSON.stringify(['type:many', '', '']),
    });
    const [run] = await database().sql('select rollout from dlq_runs order by id desc limit 1');
    assert.deepEqual(run?.rollout, {
      pace: 'careful',
      waitForTarget: false,
      toHeldTargets: false,
    });
  });

  it('says what is wrong on the page that has it, which keeps what was typed', async () => {
    const { status, text } = await post('events/reprioritize', {
      q: 'type:many',
      priority: 'x',
      reason: 'late',
    });

    assert.equal(status, 400);
    assert.match(text, /<code>priority<\/code>.*Reprioritize 20 events/s);
    assert.match(text, /name="priority" value="x".*name="reason" value="late"/s);
  });

  it('has one button that names the events and the environment of a replay', async () => {
    const text = await (await fetch(`${production().url}/runs/new?q=type:many`)).text();
    assert.match(text, /Replay 20 events in shop-production<\/button>/);
    assert.equal(text.match(/class="primary"/g)?.length, 1);
  });

  it('folds everything but the reason, and offers no pace for one event', async () => {
    await anEvent(database(), { event_type: 'single' });
    const text = await (await fetch(`${served().url}/runs/new?q=type:single`)).text();
    assert.match(text, /<details class="collapsible"><summary>Time, target and patch/);
    assert.doesNotMatch(text, /value="careful"/);
  });

  it('lists every condition of a filter with an example', async () => {
    const page = await (await fetch(`${served().url}/events`)).text();
    for (const { example } of Object.values(filterFields))
      assert.ok(page.includes(String(html`<code>${example}</code>`)), example);
  });
});

describe('the console of an empty deployment', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const read = async () => (await fetch(served().url)).text();

  it('shows the first steps until an event is captured', async () => {
    assert.match(await read(), /First steps.*first-failure.*Set <code>ROUTES/s);
    await anEvent(database(), {});
    assert.doesNotMatch(await read(), /First steps/);
  });
});
