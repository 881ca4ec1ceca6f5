import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { clickThrough, useBrowser } from '../../support/browser.ts';
import { operator, useConsole } from '../../support/console.ts';
import { type ConsoleEvents, seedConsoleEvents } from '../../support/console-data.ts';
import { useDatabase } from '../../support/database.ts';
import { openFormPage, readText } from '../../support/form-pages.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { pickVariant } from '../../support/sample.ts';

describe('console actions', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = [aRouteTo('http://shop/', { match: { eventType: 'order.*' } })];
  const served = useConsole(database, { routes });
  const openTab = useBrowser();
  let ids: ConsoleEvents;
  beforeEach(async () => {
    served().caller = operator;
    await database().clear();
    ids = await seedConsoleEvents(database());
  });

  const open = (path: string) => openFormPage(`${served().url}/${path}`);
  const reason = 'a test';
  const audited = () =>
    database().sql('select actor, action, reason from dlq_audit where closes is null order by id');

  for (const javaScriptEnabled of pickVariant('script', [true, false])) {
    it(`an operator previews a replay of selected events and creates it, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      const { page, browserErrors } = await openTab({ javaScriptEnabled });
      await page.goto(`${served().url}/events?q=status:FAILED_PERMANENTLY`);
      const boxes = page.getByRole('checkbox', { name: /^Select event/ });
      await boxes.nth(0).check();
      await boxes.nth(2).check();
      await clickThrough(page.getByRole('button', { name: 'Replay…' }));
      assert.equal(await page.locator('h1').first().textContent(), 'Replay 2 events');
      await page.locator('input[name=reason]').fill('the fix is out');
      await clickThrough(page.getByRole('button', { name: 'Replay 2 events' }));
      assert.match(page.url(), /\/runs\/\d+$/);
      assert.equal(await page.locator('h1').first().textContent(), 'the fix is out');
      assert.deepEqual(await audited(), [
        { actor: 'ada@example.com', action: 'create run', reason: 'the fix is out' },
      ]);
      const [run] = await database().sql("select selected, waiting from dlq_runs where trigger = 'replay'");
      assert.deepEqual([run, browserErrors], [{ selected: 2, waiting: 2 }, []]);
    });
  }

  it('an operator replays all matching events at a pace', async () => {
    const list = await open('events?q=type:order.created');
    const preview = await list.press('Replay…', { scope: 'all' });
    assert.equal(preview.heading, 'Replay 4 events');
    await preview.press('Replay 4 events', { pace: 'gentle', reason });

    const [run] = await database().sql<{ rollout: object }>(
      "select rollout from dlq_runs where trigger = 'replay'",
    );
    assert.deepEqual(run?.rollout, {
      pace: 'gentle',
      waitForTarget: false,
      toHeldTargets: false,
    });
  });

  it('a changed selection is previewed again before it is replayed', async () => {
    const preview = await open('runs/new?q=type:order.created');
    const changed = await preview.press('Replay 4 events', { q: `id:${ids.failed}`, reason });
    assert.equal(changed.heading, 'Replay 1 event');
    assert.deepEqual(await database().sql("select from dlq_runs where trigger = 'replay'"), []);
  });

  it('a replay excludes events captured after the preview', async () => {
    const preview = await open('runs/new?q=type:order.created');
    await database().sql(
      "insert into dlq_events (event_type, payload, created_at) values ('order.created', '{}', now() + interval '1 second')",
    );
    const run = await preview.press('Replay 4 events', { reason });
    assert.match(run.url, /\/runs\/\d+$/);
    assert.deepEqual(await database().sql("select selected from dlq_runs where trigger = 'replay'"), [
      { selected: 4 },
    ]);
  });

  it('the replay form names every problem, and keeps its values and the preview', async () => {
    const preview = await open('runs/new?q=type:order.*');
    const { html, heading } = await preview.press(/^Replay \d/, {
      startAt: 'soon',
      notAfter: 'later',
      reason,
    });
    assert.match(html, /class="problems">.*<code>startAt<\/code>.*<code>notAfter<\/code>/s);
    assert.equal(heading, preview.heading);
    assert.match(html, /name="startAt" value="soon"/);
  });

  it('an action on more events than its preview had is previewed again', async () => {
    const preview = await open('events/discard?q=status:FAILED_PERMANENTLY');
    const more = "update dlq_events set status = 'FAILED_PERMANENTLY', processed_at = now() where id = $1";
    await database().sql(more, [ids.binary]);
    const again = await preview.press('Discard 4 events', { reason });
    assert.match(again.html, /no longer that of the preview, which had 4 events\. Nothing was changed/);
    assert.deepEqual(await audited(), []);
    assert.match((await again.press('Discard 5 events', { reason })).notice, /5 events were discarded/);
  });

  it('an operator learns that another one was faster with an action, or with its undo', async () => {
    assert.match((await open('activity')).html, /No action yet/);
    const discard = 'events/discard?q=status:FAILED_PERMANENTLY';
    const [mine, other] = [await open(discard), await open(discard)];
    const { html } = await other.press('Discard 4 events', { reason });
    const { notice } = await mine.press('Discard 4 events', { reason });
    assert.equal(notice, '0 events were discarded. Skipped: 4 events changed since the preview.');

    const undo = /activity\/\d+\/undo/.exec(html)?.[0] ?? '';
    const [first, second] = [await open(undo), await open(undo)];
    assert.equal((await first.press(/^Undo/, { reason })).notice, 'Undone: 4 events are as before.');
    const late = await second.press(/^Undo/, { reason });
    assert.equal(late.notice, 'Not undone: 4 events returned by an undo before.');
    assert.match((await open(undo)).html, /Nothing is left to undo/);
  });

  it('a form that is sent twice shows what it did', async () => {
    const preview = await open('events/discard?q=status:FAILED_PERMANENTLY');
    await preview.press('Discard 4 events', { reason });
    const again = await preview.press('Discard 4 events', { reason });
    assert.match(again.notice, /^4 events were discarded\./);
    assert.match(again.html, /activity\/\d+\/undo/);
    assert.equal((await audited()).length, 1);
  });

  it('an operator pauses, resumes and cancels a run', async () => {
    const preview = await open('runs/new?q=type:order.*');
    const run = await preview.press(/^Replay \d/, { reason });
    const paused = await run.press('Pause', { reason: 'shop is slow' });
    assert.match(paused.notice, /is paused/);
    assert.match(paused.html, /class="warning".*shop is slow/s);
    const resumed = await paused.press('Resume');
    assert.match(resumed.notice, /goes on/);
    assert.match((await resumed.press('Cancel run')).notice, /is cancelled/);

    const actions = (await audited()).map(({ action }) => action);
    assert.deepEqual(actions, ['create run', 'pause run', 'resume run', 'cancel run']);
  });

  it('an operator edits an event, previews the difference and replays it', async () => {
    const event = await open(`events/${ids.failed}`);
    assert.match(event.html, new RegExp(`href="events/${ids.failed}/edit"[^>]*>Edit and replay…`));
    const form = await open(`events/${ids.failed}/edit`);
    const body = readText(/<textarea[^>]* name="payload".*?<\/textarea>/s.exec(form.html)?.[0]);
    const preview = await form.press('Preview', { payload: body.replace('42.50', '24.00') });
    assert.match(readText(preview.html), /removed: .*"total": 42\.50.*added: .*"total": 24\.00/s);
    const run = await preview.press('Replay 1 event', { reason });
    const runId = run.url.split('/').at(-1) ?? '';
    const to = [aRouteTo(target().url)];
    await workOnReplay({ db: database().db, routes: to, retry: retryConfig() }, runId, {
      endsAt: Date.now() + 600_000,
    });
    assert.deepEqual(JSON.parse(String(target().received[0]?.body)), {
      orderId: 'A-1',
      total: 24,
      customer: { email: 'ada@example.com' },
    });
    const [kept] = await database().sql<{ body: Buffer }>('select body from dlq_events where id = $1', [
      ids.failed,
    ]);
    assert.match(String(kept?.body), /42\.50/);
  });

  const changes = [
    ['Discard', 'status:FAILED_PERMANENTLY', 4, 'DISCARDED'],
    ['Reopen', 'status:FAILED_PERMANENTLY', 4, 'PENDING'],
  ] as const;
  for (const [action, query, changed, status] of changes) {
    it(`an operator can ${action.toLowerCase()} matching events, with a reason`, async () => {
      const list = await open(`events?q=${query}`);
      const preview = await list.press(`${action}…`, { scope: 'all' });
      const { notice } = await preview.press(`${action} ${changed} events`, { reason: '  a test  ' });

      assert.match(notice, /^4 events were /);
      const [count] = await database().sql(
        'select count(*)::int from dlq_events where status = $1 and event_type = $2',
        [status, 'order.created'],
      );
      assert.deepEqual(count, { count: changed });
      assert.deepEqual(await audited(), [
        { actor: 'ada@example.com', action: action.toLowerCase(), reason: 'a test' },
      ]);
    });
  }

  it('an operator changes the priority of events', async () => {
    const preview = await open('events/reprioritize?q=type:order.amended');
    await preview.press('Reprioritize 1 event', { priority: '-5', reason: 'customer calls' });

    const [event] = await database().sql('select priority from dlq_events where id = $1', [ids.pending]);
    assert.deepEqual(event, { priority: -5 });
  });

  it('an action without a filter is rejected', async () => {
    assert.match((await open('events/discard')).html, /a filter without any matches every event/);
  });

  it('an operator keeps the owner and the note that another one wrote since the page was opened', async () => {
    const path = 'groups/v1%3A0123456789abcdef';
    const [mine, other] = [await open(path), await open(path)];
    await other.press('Save owner and note', { owner: 'bea@example.com', note: 'Do not replay.' });
    await mine.press('Resolve');
    const read = "select state, owner, note from dlq_error_groups where fingerprint = 'v1:0123456789abcdef'";
    const kept = { owner: 'bea@example.com', note: 'Do not replay.' };
    assert.deepEqual(await database().sql(read), [{ state: 'RESOLVED', ...kept }]);
  });

  it('an operator acknowledges an error, sets its owner and note, and mutes it', async () => {
    const group = await open('groups/v1%3A0123456789abcdef');
    const note = 'The tax service has no rate for CH.';
    const acknowledged = await group.press('Resolve', {
      owner: 'ada@example.com',
      note,
      command: 'ACKNOWLEDGED',
    });
    assert.match(acknowledged.notice, /now acknowledged/);
    assert.match(acknowledged.html, /no rate for CH/);
    await acknowledged.press('Mute', { mute: '7d' });

    const [row] = await database().sql(
      "select state, owner, muted_until > now() + interval '6 days' as is_long from dlq_error_groups where fingerprint = 'v1:0123456789abcdef'",
    );
    assert.deepEqual(row, { state: 'MUTED', owner: 'ada@example.com', is_long: true });
  });
});
