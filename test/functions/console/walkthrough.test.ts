import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { useBrowser } from '../../support/browser.ts';
import { sendForm, useConsole } from '../../support/console.ts';
import { seedConsoleEvents } from '../../support/console-data.ts';
import { useDatabase } from '../../support/database.ts';
import { aRouteTo } from '../../support/routes.ts';

// The numbers of clicks that docs/deliver.md states.
describe('console walkthrough', () => {
  const database = useDatabase();
  const routes = [aRouteTo('http://shop/', { match: { eventType: 'order.*' } })];
  const served = useConsole(database, { routes });
  const openTab = useBrowser();
  let page: Page;
  let clicks = 0;
  before(async () => {
    await seedConsoleEvents(database());
    const twoDaysAgo = "now() - interval '2 days'";
    await database().sql(
      `insert into dlq_events (event_type, payload, fingerprint, created_at, first_failure_at, last_failure_at)
       values ('order.created', '{}', 'v1:0123456789abcdef', ${twoDaysAgo}, ${twoDaysAgo}, ${twoDaysAgo})`,
    );
    ({ page } = await openTab());
  });
  beforeEach(async () => {
    clicks = 0;
    await page.goto(`${served().url}/`);
    await click(page.getByRole('link', { name: /^TypeError: Cannot read/ }).first());
  });
  const click = async (what: Locator) => {
    await what.click();
    clicks++;
  };
  const replay = async (name: string) => {
    await page.locator('input[name=reason]').fill('the fix is out');
    await click(page.getByRole('button', { name }));
    await page.waitForURL(/runs\/\d+$/);
  };

  it('replaying the open events of one error takes three clicks and a reason', async () => {
    await click(page.getByRole('link', { name: 'Replay…' }));
    await replay('Replay 6 events');

    assert.equal(clicks, 3);
  });

  it('replaying only the failures of the last day takes five clicks and a reason', async () => {
    await click(page.getByRole('link', { name: 'All events' }));
    const search = page.getByLabel('Search events');
    await search.fill(`${await search.inputValue()} failed:>24h`);
    await search.press('Enter');
    await page.waitForURL(/failed/);
    await page.getByLabel('Apply to').selectOption('all');
    clicks++;
    await click(page.getByRole('button', { name: 'Replay…' }));
    await replay('Replay 5 events');

    assert.equal(clicks, 5);
  });

  it('the overview lists open replays until they end', async () => {
    const listOpen = async () => {
      const html = await (await fetch(`${served().url}/`)).text();
      const [, list = ''] = /Open replays(.*?)<\/section>/s.exec(html) ?? [];
      return [...list.matchAll(/class="title truncate" href="(runs\/\d+)"/g)].map(([, path]) => path);
    };
    const open = await listOpen();
    assert.equal(open.length, 2);
    for (const path of open)
      await sendForm(`${served().url}/${path}`, { command: 'cancel', reason: 'a test' });

    assert.deepEqual(await listOpen(), []);
  });
});
