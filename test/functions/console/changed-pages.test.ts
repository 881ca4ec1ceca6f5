import { before, describe } from 'node:test';
import { useBrowser } from '../../support/browser.ts';
import { checkPages, openTabs, type Pages, type Tabs } from '../../support/check-page.ts';
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
  let tabs: Tabs;
  before(async () => {
    ids = await seedConsoleEvents(database());
    const deps = { db: database().db, routes, retry: retryConfig() };
    const edit = { body: '{"orderId":"A-2","total":42.50}' };
    const run = await aRun(deps, { filter: { ids: [ids.pending] }, edit, reason: 'a typing error' });
    runId = run.id;
    tabs = await openTabs(openTab);
  });

  const pages: Pages = {
    'errors by a form': () => ['groups?type=order.created&order=first', 'Errors', 'First seen'],
    'merging an error': () => ['groups/v1%3A0123456789abcdef/merge', 'Merge', 'Or its fingerprint'],
    'an edited event': () => [
      `events/${ids.pending}`,
      'order.amended',
      'Replaced by an edit',
      'The difference',
      'A-2',
    ],
    'a replay': () => [`runs/${runId}`, 'a typing error', 'a typing error'],
    'the replays': () => ['runs', 'Runs', 'a typing error'],
    'an unknown event': () => ['events/99999999', 'There is no event 99999999', 'Search the archive'],
  };

  checkPages(pages, () => ({ url: served().url, tabs }));
});
