import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { clickThrough, useBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { type ConsoleEvents, seedConsoleEvents } from '../../support/console-data.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('console script', () => {
  const database = useDatabase();
  const served = useConsole(database, { routes: [aRouteTo('http://shop/')] });
  const openTab = useBrowser();
  let page: Page;
  let browserErrors: string[];
  let ids: ConsoleEvents;
  before(async () => {
    ids = await seedConsoleEvents(database());
    ({ page, browserErrors } = await openTab({ permissions: ['clipboard-read', 'clipboard-write'] }));
  });
  const open = (path: string) => page.goto(`${served().url}/${path}`);
  const focused = () =>
    page.evaluate<string>('document.activeElement.textContent || document.activeElement.name');
  const press = (keys: string) => page.keyboard.press(keys);

  it('the first tab stop of a page skips to its content', async () => {
    await open('events');
    await press('Tab');
    assert.equal(await focused(), 'Skip to content');
    await press('Enter');

    assert.equal(await page.evaluate('document.activeElement.id'), 'main');
    assert.match(page.url(), /\/events#main$/);
  });

  it('the keys / j k x focus the search, move between rows and select a row', async () => {
    await open('events');
    await press('j');
    assert.equal(await focused(), 'order.created');
    await press('j');
    await press('j');
    await press('k');
    assert.equal(await page.evaluate('document.activeElement.closest("tr").rowIndex'), 2);
    await press('x');
    assert.equal(await page.locator('[data-selection-count]').textContent(), '1 selected');
    await press('/');

    assert.equal(await focused(), 'q');
    await press('j');
    assert.equal(await page.getByLabel('Search events').inputValue(), 'j');
  });

  it('the key j does nothing in a table without links', async () => {
    await open('targets');
    await press('j');

    assert.deepEqual(browserErrors, []);
  });

  it('the key g and a letter open a page, and ? lists all shortcuts', async () => {
    await open('events');
    await press('?');
    assert.match((await page.locator('dialog:popover-open').textContent()) ?? '', /next and previous row/);
    await press('Escape');
    await press('g');
    await press('t');
    await page.waitForURL(/targets$/);
  });

  it('times are shown in the browser time zone, and in UTC on demand', async () => {
    await open(`events/${ids.failed}`);
    const time = page.locator('.facts time').first();
    assert.match((await time.textContent()) ?? '', /CES?T$/);
    assert.match((await time.getAttribute('title')) ?? '', / UTC$/);
    assert.equal(await page.locator('[data-zone]').textContent(), 'Europe/Zurich');
  });

  it('a typed reason is kept until an action is done with it', async () => {
    const reason = page.locator('input[name=reason]');
    await open('runs');
    await reason.fill('a release');
    await page.locator('input[name=until]').fill('noon');
    await clickThrough(page.getByRole('button', { name: 'Pause the schedule' }));
    await open('runs');
    assert.equal(await reason.inputValue(), 'a release');

    await clickThrough(page.getByRole('button', { name: 'Pause the schedule' }));
    assert.equal(await reason.inputValue(), '');
    await reason.fill('done');
    await clickThrough(page.getByRole('button', { name: 'Resume the schedule' }));
  });

  it('a list says how many rows are new, and does not move below its reader', async () => {
    await manyEvents(database(), 2, 'bulk.old');
    await open('events?q=type:bulk.*');
    await manyEvents(database(), 3, 'bulk.fresh');
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.locator('#fresh a').waitFor();

    assert.equal(await page.locator('#fresh').textContent(), 'new: 3');
    assert.equal(await page.locator('tbody a.title').count(), 2);
    await clickThrough(page.locator('#fresh a'));
    assert.equal(await page.locator('tbody a.title').count(), 5);
    await manyEvents(database(), 50, 'bulk.flood');
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.locator('#fresh a').waitFor();
    assert.equal(await page.locator('#fresh').textContent(), 'new: 50 or more');
    await database().sql("delete from dlq_events where event_type like 'bulk.%'");
  });

  it('one checkbox selects all rows of a page', async () => {
    await open('events');
    await page.getByLabel('Select all on this page').check();

    assert.equal(await page.locator('[data-selection-count]').textContent(), '7 selected');
  });

  it('actions wait for a selection, and Shift selects a range', async () => {
    await open('events');
    const replay = page.getByRole('button', { name: 'Replay…' });
    assert.equal(await replay.isDisabled(), true);
    const boxes = page.locator('td.checkbox-cell input');
    await boxes.nth(1).click();
    await boxes.nth(4).click({ modifiers: ['Shift'] });

    assert.equal(await page.locator('[data-selection-count]').textContent(), '4 selected');
    assert.equal(await replay.isDisabled(), false);
  });

  it('on a phone the actions on an error and on selected events stay on the screen', async () => {
    const wide = page.viewportSize() ?? { width: 1280, height: 720 };
    await page.setViewportSize({ width: 390, height: 600 });
    const isShown = async (name: string) => {
      const box = await page.getByRole('button', { name }).boundingBox();
      return box !== null && box.y > 300 && box.y + box.height <= 600;
    };
    await open('groups/v1:0123456789abcdef');
    assert.equal(await isShown('Acknowledge'), true);
    await page.keyboard.press('End');
    assert.equal(await isShown('Acknowledge'), true);
    await open('events');
    await page.locator('td.checkbox-cell input').first().click();
    assert.equal(await isShown('Discard…'), true);
    await page.setViewportSize(wide);
  });

  it('the Copy button copies the whole stack of an event', async () => {
    await database().sql(
      `update dlq_events set error_stacktrace = 'Error: boom' || E'\n    at pay (shop.js:1:2)' where id = ${ids.failed}`,
    );
    await open(`events/${ids.failed}`);
    await page.locator('[data-copy="stack"]').click();

    const stack = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(stack, 'Error: boom\n    at pay (shop.js:1:2)\n');
  });

  it('the page of a run removes its actions when the run ends, and shows the outcomes', async () => {
    const [run] = await database().sql<{ id: string }>(
      `with run as (
         insert into dlq_runs (trigger, requested_by, reason, request, selected, excluded)
         values ('replay', 'ada', 'a test', '{"filter": {}}', 1, '{}') returning id
       )
       insert into dlq_run_events (run_id, event_id, position, failure_count, status)
       select id, 1, 1, 1, 'PENDING' from run returning run_id as id`,
    );
    await open(`runs/${run?.id}`);
    assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 1);
    await database().sql(
      `update dlq_run_events set outcome = 'skipped', settled_at = now() where run_id = $1`,
      [run?.id],
    );

    await waitUntil(
      'the run has no actions',
      async () => (await page.getByRole('button', { name: 'Pause' }).count()) === 0,
    );
    assert.match((await page.locator('.run-events tbody').textContent()) ?? '', /skipped/);
  });

  it('the page of a run refreshes its stats', async () => {
    const [run] = await database().sql<{ id: string }>(
      `insert into dlq_runs (trigger, requested_by, reason, request, selected, excluded)
       values ('replay', 'ada', 'a test', '{"filter": {}}', 4, '{}') returning id`,
    );
    await open(`runs/${run?.id}`);
    assert.equal(await page.locator('.stat .value').nth(1).textContent(), '0');
    await database().sql('update dlq_runs set delivered = 3 where id = $1', [run?.id]);

    await waitUntil(
      'the page shows 3 delivered',
      async () => (await page.locator('.stat .value').nth(1).textContent()) === '3',
    );
  });

  it('a refresh changes what is new, and leaves what the reader opened, focused, selected and typed', async () => {
    const [run] = await database().sql<{ id: string }>(
      `insert into dlq_runs (trigger, requested_by, reason, request, selected, excluded)
       values ('replay', 'ada', 'a test', '{"filter": {}}', 4, '{}') returning id`,
    );
    const refresh = () => page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await anEvent(database(), { status: 'SUCCEEDED', processed_at: new Date(), fingerprint: 'v1:finished' });
    await open('');
    await page.locator('summary').first().click();
    const replay = page.getByRole('link', { name: 'a test' });
    await replay.first().focus();
    await page.evaluate('getSelection().selectAllChildren(document.querySelector("#schedule"))');
    await database().sql('update dlq_runs set delivered = 3 where id = $1', [run?.id]);
    await refresh();
    await page.getByText('3 of 4 delivered, 1 waiting').waitFor();
    const [opened, selected] = [
      page.locator('details[open]').count(),
      page.evaluate('String(getSelection())'),
    ];
    assert.deepEqual([await opened, await focused(), await selected], [1, 'a test', 'Schedule']);

    await open(`runs/${run?.id}`);
    await page.getByLabel('Reason (optional)').fill('too fast');
    await page.locator('h1').click();
    await database().sql("update dlq_runs set paused_because = 'Paused by ada: too fast' where id = $1", [
      run?.id,
    ]);
    await refresh();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    assert.equal(await page.getByLabel('Reason (optional)').inputValue(), 'too fast');
    await page.getByLabel('Reason (optional)').focus();
    await database().sql("update dlq_runs set ended_at = now(), stopped = 'cancelled' where id = $1", [
      run?.id,
    ]);
    await refresh();
    await page.getByText('cancelled').waitFor();
    assert.equal(await focused(), 'reason');
  });

  it('a page that cannot be refreshed says since when it is not current, until it can', async () => {
    await open('runs');
    const note = page.getByRole('alert');
    await page.context().setOffline(true);
    const refresh = () => page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await refresh();
    await note.waitFor();
    assert.match((await note.textContent()) ?? '', /^Not current since .*, trying again\. Reload$/);

    await page.context().setOffline(false);
    await refresh();
    await note.waitFor({ state: 'detached' });
  });
});
