import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { findViolations } from '../../support/axe.ts';
import { type Tab, useBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { type ConsoleEvents, seedConsoleEvents } from '../../support/console-data.ts';
import { useDatabase } from '../../support/database.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('console pages after edits, replays and searches', () => {
  const database = useDatabase();
  const routes = [aRouteTo('http://shop/orders', { match: { eventType: 'order.*' } })];
  const served = useConsole(database, { routes, environment: 'staging' });
  const openTab = useBrowser();
  let ids: ConsoleEvents;
  let runId = '';
  let tabs: Readonly<Record<string, Tab>>;
  before(async () => {
    ids = await seedConsoleEvents(database());
    const deps = { db: database().db, routes, retry: retryConfig() };
    const edit = { body: '{"orderId":"A-2","total":42.50}' };
    const run = await aRun(deps, { filter: { ids: [ids.pending] }, edit, reason: 'a typing error' });
    runId = run.id;
    tabs = {
      dark: await openTab({ colorScheme: 'dark' }),
      phone: await openTab({ viewport: { width: 360, height: 740 }, colorScheme: 'light' }),
    };
  });

  const pages: Record<string, () => [path: string, ...texts: string[]]> = {
    'errors by a form': () => ['groups?type=order.created&order=first&dir=asc', 'First seen ↑'],
    'merging an error': () => ['groups/v1%3A0123456789abcdef/merge', 'Or its fingerprint'],
    'an edited event': () => [`events/${ids.pending}`, 'Replaced by an edit', 'The difference', 'A-2'],
    'a replay': () => [`runs/${runId}`, 'a typing error'],
    'the replays': () => ['runs', 'a typing error'],
    'an unknown event': () => ['events/99999999', 'Search the archive'],
  };

  for (const [name, page] of Object.entries(pages)) {
    it(`the page is accessible in the dark theme and on a phone: ${name}`, async () => {
      const [path, ...texts] = page();
      for (const [device, tab] of Object.entries(tabs)) {
        await tab.page.goto(`${served().url}/${path}`);
        const text = (await tab.page.locator('main').textContent()) ?? '';
        for (const each of texts) assert.ok(text.includes(each), `${each} in ${text}`);
        assert.deepEqual(await findViolations(tab), [], device);
        const overflow = await tab.page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.equal(overflow, 0, `${device}: scrolls horizontally`);
      }
    });
  }
});
