import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { useBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('the chart of the console', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const openTab = useBrowser();
  const failedAt = new Date(Math.floor(Date.now() / 60_000 - 20) * 60_000);
  let page: Page;
  before(async () => {
    const columns = {
      created_at: failedAt,
      first_failure_at: failedAt,
      last_failure_at: failedAt,
      fingerprint: 'v1:a',
    };
    for (let i = 0; i < 3; i++) await anEvent(database(), columns);
    await refresh(database().db);
    ({ page } = await openTab());
  });
  const read = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  const current = (html: string) => /aria-current="true">([^<]*)<\/a>/.exec(html)?.[1];

  it('shows the last hour by minute while nothing older is known, and any period that is asked for', async () => {
    const html = await read('');
    assert.equal(current(html), '1 hour');
    assert.match(html, /aria-label="In 1 hour 3 failures\. Most at/);
    assert.equal(current(await read('?range=6h')), '6 hours');
    assert.match(await read('?range=30d'), /aria-label="In 30 days 3 failures and 0 deliveries/);
  });

  it('shows an error by hour', async () => {
    assert.equal(current(await read('groups/v1:a')), '24 hours');
    const lastHour = /aria-label="In \d clock hours? 3 failures and 0 deliveries/;
    assert.match(await read('groups/v1:a?range=1h'), lastHour);
    assert.match(await read('groups/v1:a?range=7d'), /aria-label="In 7 days 3 failures and 0 deliveries/);
  });

  it('leads from a bar to the events of its step', async () => {
    await page.goto(`${served().url}/groups/v1:a`);
    await page.locator('.flow a').click();
    await page.waitForURL(/events\?q=/);
    assert.match((await page.locator('.count').textContent()) ?? '', /^3 events/);
    assert.match(
      await page.getByLabel('Search events').inputValue(),
      /^fingerprint:v1:a failed:>.*00\.000Z failed:</,
    );
  });

  it('has the hour since when errors are listed in the zone of the axis', async () => {
    await page.goto(`${served().url}/`);
    const head = page.locator('.section-head', { has: page.getByRole('heading', { name: 'Errors' }) });
    const since = new Date((await head.locator('time').getAttribute('datetime')) ?? '');
    const words = since.toLocaleTimeString('en-GB', { timeStyle: 'short', timeZone: 'Europe/Zurich' });
    assert.match(await head.innerText(), new RegExp(`^Errors\\s+since ${words}\\s`));
  });

  it('has the time of each step in the zone of the axis', async () => {
    await page.goto(`${served().url}/`);
    const time = failedAt.toLocaleTimeString('en-GB', { timeStyle: 'medium', timeZone: 'Europe/Zurich' });
    const title = (await page.locator('.flow title').textContent()) ?? '';
    assert.match(title, new RegExp(`${time} CES?T: 3 failures$`));
  });
});
