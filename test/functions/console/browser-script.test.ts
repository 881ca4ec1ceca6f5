import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { clickThrough, useBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { type ConsoleEvents, seedConsoleEvents } from '../../support/console-data.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

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

  it('the fields of a form keep what was typed on the way back to it', async () => {
    await open(`runs/new?q=id:${ids.pending}`);
    await page.getByText('Time, target and patch').click();
    await page.getByLabel('Start at').fill('2099-07-01T08:00');
    await clickThrough(page.locator('.breadcrumb a'));
    await page.goBack();

    assert.equal(await page.locator('input[name=startAt]').inputValue(), '2099-07-01T08:00');
  });

  it('times are shown in the browser time zone, and in UTC on demand', async () => {
    await open(`events/${ids.failed}`);
    const time = page.locator('.facts time').first();
    assert.match((await time.textContent()) ?? '', /CES?T$/);
    assert.match((await time.getAttribute('title')) ?? '', / UTC$/);
    assert.equal(await page.locator('[data-zone]').textContent(), 'Europe/Zurich');
  });

  it('a time without a zone is one of the browser: of the clock the latest in a search, and the next in a field', async () => {
    const inZurich = (time?: string) =>
      new Date(time ?? '').toLocaleTimeString('en-GB', { timeZone: 'Europe/Zurich', timeStyle: 'short' });
    await open('events');
    await page.locator('[data-search]').fill('failed:>02:10 due:<8:00');
    await clickThrough(page.getByRole('button', { name: 'Search' }));
    const q = new URL(page.url()).searchParams.get('q') ?? '';
    const [, failed = '', due = ''] = /^failed:>(\S+Z) due:<(\S+Z)$/.exec(q) ?? assert.fail(q);
    assert.deepEqual([failed, due].map(inZurich), ['02:10', '08:00']);
    assert.ok(new Date(failed) < new Date() && new Date(due) > new Date(), q);

    await open(`events/snooze?q=id:${ids.pending}`);
    await page.getByLabel('Until').fill('08:00');
    await page.locator('input[name=reason]').fill('from 07:59 on');
    await clickThrough(page.getByRole('button', { name: 'Snooze 1 event' }));
    await open('activity');
    const until = await page.locator('.activity .wrap time').first().getAttribute('datetime');
    assert.deepEqual([inZurich(until ?? ''), new Date(until ?? '') > new Date()], ['08:00', true]);

    await open(`events/snooze?q=id:${ids.pending}`);
    await page.getByLabel('Until').fill('2099-07-01T08:00');
    await page.locator('input[name=reason]').fill('in summer');
    await clickThrough(page.getByRole('button', { name: 'Snooze 1 event' }));
    await open('activity');
    const summer = await page.locator('.activity .wrap time').first().getAttribute('datetime');
    assert.equal(summer, '2099-07-01T06:00:00.000Z');
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

  it('a form is sent once, however often its button is pressed, until its page is shown again', async () => {
    await open(`events/discard?q=id:${ids.pending}`);
    await page.locator('input[name=reason]').fill('a slow network');
    const posts: unknown[] = [];
    // An answer that keeps the page.
    await page.route('**/events/discard', (route) => route.fulfill({ status: 204 }));
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.postData()));
    const press = async (script: string) => {
      const sent = page.waitForEvent('request', (request) => request.method() === 'POST');
      await page.evaluate(`const button = document.querySelector('button.danger'); ${script}`);
      await sent;
    };
    await press('button.click(); button.click()');
    await page.locator('button.danger').click();
    assert.equal(posts.length, 1);

    await press('dispatchEvent(new Event("pageshow")); button.click()');
    assert.equal(posts.length, 2);
    await page.unroute('**/events/discard');
  });

  it('a form stays with what was typed without a network, a session or a database, and is sent later', async () => {
    await open(`events/${ids.failed}/edit`);
    await page.setViewportSize({ width: 1280, height: 300 });
    const typed = '{"orderId":"B-2"}';
    await page.locator('textarea[name=payload]').fill(typed);
    const preview = page.getByRole('button', { name: 'Preview' });
    const unsent = page.getByText('Not sent: you are signed out, or the console does not answer.');
    await page.context().setOffline(true);
    await preview.click();
    await unsent.waitFor();
    const { y = -1, height = 0 } = (await unsent.boundingBox()) ?? {};
    assert.ok(y >= 0 && y + height <= 300);
    await page.context().setOffline(false);
    await page.setViewportSize({ width: 1280, height: 720 });
    for (const status of [401, 503]) {
      await page.route('**/activity*', (route) => route.fulfill({ status }));
      await Promise.all([page.waitForResponse(/activity/), preview.click()]);
      await page.locator('form[method=post]:not([aria-busy])').waitFor();
      assert.equal(await unsent.count(), 1);
      await page.unroute('**/activity*');
    }
    assert.equal(await page.locator('textarea[name=payload]').inputValue(), typed);
    await clickThrough(preview);

    assert.match(await page.locator('.diff').innerText(), /B-2/);
  });

  it('no row of a list is selected on the way back to it, where others may have come', async () => {
    await open('events?q=type:order.*');
    await page.locator('td.checkbox-cell input').first().check();
    await page.getByLabel('Apply to').selectOption('all');
    await clickThrough(page.locator('tbody a.title').first());
    await anEvent(database(), { event_type: 'order.late' });
    await page.goBack();

    assert.equal(await page.locator('tbody a.title').first().textContent(), 'order.late');
    assert.equal(await page.locator('td.checkbox-cell input:checked').count(), 0);
    assert.equal(await page.getByLabel('Apply to').inputValue(), 'selected');
    await database().sql("delete from dlq_events where event_type = 'order.late'");
  });

  it('one checkbox selects all rows of a page', async () => {
    await open('events');
    await page.getByLabel('Select all on this page').check();

    assert.equal(await page.locator('[data-selection-count]').textContent(), '7 selected');
  });

  it('rows are selected also in a browser that does not tell how a page was reached', async () => {
    const { page } = await openTab();
    await page.addInitScript('performance.getEntriesByType = () => []');
    await page.goto(`${served().url}/events`);
    await page.locator('td.checkbox-cell input').first().check();

    assert.equal(await page.locator('[data-selection-count]').textContent(), '1 selected');
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
});
