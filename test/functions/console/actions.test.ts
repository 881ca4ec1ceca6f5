import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { clickThrough, type Tab, useBrowser } from '../../support/browser.ts';
import { operator, useConsole } from '../../support/console.ts';
import { type ConsoleEvents, seedConsoleEvents } from '../../support/console-data.ts';
import { useDatabase } from '../../support/database.ts';
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
  let tabs: Readonly<Record<'with' | 'without', Tab>>;
  let page: Page;
  before(async () => {
    tabs = { with: await openTab(), without: await openTab({ javaScriptEnabled: false }) };
    ({ page } = tabs.with);
  });
  beforeEach(async () => {
    served().caller = operator;
    await database().clear();
    ids = await seedConsoleEvents(database());
  });

  /** A test in a browser with or without script. */
  const itWorks = (name: string, test: () => Promise<void>) => {
    for (const script of pickVariant(name, ['with', 'without'] as const)) {
      it(`${name}, ${script} script`, async () => {
        ({ page } = tabs[script]);
        await test();
      });
    }
  };
  const open = (path: string) => page.goto(`${served().url}/${path}`);
  const press = (name: string | RegExp) => clickThrough(page.getByRole('button', { name }));
  const unfold = () => page.getByText('Time, selection and target').click();
  const giveReason = (reason = 'a test') => page.locator('input[name=reason]').fill(reason);
  const heading = () => page.locator('h1').first().textContent();
  const notice = () => page.locator('.notice[role=status]').textContent();
  const audited = () =>
    database().sql('select actor, action, reason from dlq_audit where closes is null order by id');

  itWorks('an operator previews a replay of selected events and creates it', async () => {
    await open('events?q=status:FAILED_PERMANENTLY');
    await page
      .getByRole('checkbox', { name: /^Select event/ })
      .nth(0)
      .check();
    await page
      .getByRole('checkbox', { name: /^Select event/ })
      .nth(2)
      .check();
    await press('Replay…');
    assert.equal(await heading(), 'Replay 2 events');
    await giveReason('the fix is out');
    await press('Replay 2 events');
    assert.match(page.url(), /\/runs\/\d+$/);
    assert.equal(await heading(), 'the fix is out');
    assert.deepEqual(await audited(), [
      { actor: 'ada@example.com', action: 'create run', reason: 'the fix is out' },
    ]);
    const [run] = await database().sql("select selected, waiting from dlq_runs where trigger = 'replay'");
    assert.deepEqual(run, { selected: 2, waiting: 2 });
  });

  itWorks('an operator replays all matching events at a pace', async () => {
    await open('events?q=type:order.created');
    await page.getByLabel('Apply to').selectOption('all');
    await press('Replay…');
    assert.equal(await heading(), 'Replay 4 events');
    await unfold();
    await page.locator('[name=pace][value=gentle]').check();
    await page.getByLabel('Include delivered events').check();
    await press('Preview again');
    assert.equal(await heading(), 'Replay 5 events');
    await giveReason();
    await press('Replay 5 events');

    const [run] = await database().sql<{ rollout: object }>(
      "select rollout from dlq_runs where trigger = 'replay'",
    );
    assert.deepEqual(run?.rollout, {
      gate: { window: 50, maxFailureRatio: 0.5 },
      ratePerSecond: 10,
    });
  });

  itWorks('a changed selection is previewed again before it is replayed', async () => {
    await open('runs/new?q=type:order.created');
    await unfold();
    await page.getByLabel('Include delivered events').check();
    await giveReason();
    await press('Replay 4 events');
    assert.equal(await heading(), 'Replay 5 events');
    assert.deepEqual(await database().sql("select from dlq_runs where trigger = 'replay'"), []);
  });

  itWorks('a replay excludes events captured after the preview', async () => {
    await open('runs/new?q=type:order.created');
    await database().sql(
      "insert into dlq_events (event_type, payload, created_at) values ('order.created', '{}', now() + interval '1 second')",
    );
    await giveReason();
    await press('Replay 4 events');
    assert.equal(await page.locator('.stat .value').first().textContent(), '4');
  });

  itWorks(
    'the replay form shows every problem at its field, and keeps its values and the preview',
    async () => {
      await open('runs/new?q=type:order.*');
      const previewed = await heading();
      await unfold();
      await page.getByLabel('Not before').fill('soon');
      await page.getByLabel('Not after').fill('later');
      await giveReason();
      await press(/^Replay \d/);

      const invalid = page.locator('[aria-invalid="true"]');
      assert.deepEqual(
        await invalid.evaluateAll((fields) => fields.map((field) => field.getAttribute('name'))),
        ['startAt', 'notAfter'],
      );
      assert.equal(await page.locator('.problem').count(), 2);
      assert.equal(await heading(), previewed);
      assert.equal(await page.getByLabel('Not before').inputValue(), 'soon');
    },
  );

  itWorks('an operator pauses, resumes and cancels a run', async () => {
    await open('runs/new?q=type:order.*');
    await giveReason();
    await press(/^Replay \d/);
    await giveReason('shop is slow');
    await press('Pause');
    assert.match((await notice()) ?? '', /was paused/);
    assert.match((await page.locator('.warning').textContent()) ?? '', /shop is slow/);
    await press('Resume');
    assert.match((await notice()) ?? '', /was resumed/);
    await press('Cancel run');
    assert.match((await notice()) ?? '', /was cancelled/);

    const actions = (await audited()).map(({ action }) => action);
    assert.deepEqual(actions, ['create run', 'pause run', 'resume run', 'cancel run']);
  });

  itWorks('an operator edits an event, previews the difference and replays it', async () => {
    await open(`events/${ids.failed}`);
    await page.getByRole('link', { name: 'Edit and replay…' }).first().click();
    const body = page.getByLabel('Payload');
    await body.fill((await body.inputValue()).replace('42.50', '24.00'));
    await press('Preview');
    assert.match((await page.locator('.removed').textContent()) ?? '', /"total": 42\.50/);
    assert.match((await page.locator('.added').textContent()) ?? '', /"total": 24\.00/);
    await giveReason();
    await press('Replay 1 event');
    const runId = page.url().split('/').at(-1) ?? '';
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
  for (const [action, query, changed, status] of pickVariant('change', changes)) {
    itWorks(`an operator can ${action.toLowerCase()} matching events, with a reason`, async () => {
      await open(`events?q=${query}`);
      await page.getByLabel('Apply to').selectOption('all');
      await press(`${action}…`);
      await giveReason('  a test  ');
      await press(`${action} ${changed} events`);

      assert.match((await notice()) ?? '', /^4 events were /);
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

  itWorks('an operator changes the priority of events', async () => {
    await open('events/reprioritize?q=type:order.amended');
    await page.getByLabel('Priority').fill('-5');
    await giveReason('customer calls');
    await press('Reprioritize 1 event');

    const [event] = await database().sql('select priority from dlq_events where id = $1', [ids.pending]);
    assert.deepEqual(event, { priority: -5 });
  });

  itWorks('an action without a filter is rejected', async () => {
    await open('events/discard');

    assert.match(
      (await page.locator('.problems').textContent()) ?? '',
      /a filter without any matches every event/,
    );
  });

  itWorks('an operator acknowledges an error, sets its owner and note, and mutes it', async () => {
    await open('groups/v1%3A0123456789abcdef');
    await page.getByLabel('Owner').fill('ada@example.com');
    await page.getByLabel('Note').fill('The tax service has no rate for CH.');
    await press('Acknowledge');
    assert.match((await notice()) ?? '', /now acknowledged/);
    assert.match((await page.locator('p.notice').last().textContent()) ?? '', /no rate for CH/);
    await page.getByLabel('Mute').selectOption('7d');
    await press('Mute');

    const [group] = await database().sql(
      "select state, owner, muted_until > now() + interval '6 days' as is_long from dlq_error_groups where fingerprint = 'v1:0123456789abcdef'",
    );
    assert.deepEqual(group, { state: 'MUTED', owner: 'ada@example.com', is_long: true });
  });

  it('console actions cause no browser error', () => {
    const errors = Object.values(tabs).flatMap(({ browserErrors }) => browserErrors);
    // The page of a run looks for it again, after it was deleted for the next test.
    const unexpected = errors.filter((each) => !/status of 400|status of 404.*\/runs\/\d+/.test(each));
    assert.deepEqual(unexpected, []);
  });
});
