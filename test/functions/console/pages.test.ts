import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { findViolations } from '../../support/axe.ts';
import { type Tab, useBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { type ConsoleEvents, seedConsoleEvents } from '../../support/console-data.ts';
import { useDatabase } from '../../support/database.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('console pages', () => {
  const database = useDatabase();
  const served = useConsole(database, {
    routes: [aRouteTo('http://shop/orders', { match: { eventType: 'order.*' } })],
  });
  const openTab = useBrowser();
  let ids: ConsoleEvents;
  let tabs: Readonly<Record<string, Tab>>;
  before(async () => {
    ids = await seedConsoleEvents(database());
    await database().sql(
      `with run as (select max(id) as id from dlq_runs), sent as (update dlq_attempts set run_id = run.id from run)
       insert into dlq_audit (actor, action, reason, run_id) select 'ada', 'create run', 'the fix is out', id from run`,
    );
    const phone = { viewport: { width: 360, height: 740 } };
    tabs = {
      light: await openTab({ colorScheme: 'light' }),
      dark: await openTab({ colorScheme: 'dark' }),
      phone: await openTab({ ...phone, colorScheme: 'light' }),
      'without script': await openTab({ ...phone, javaScriptEnabled: false }),
    };
  });

  const pages: Record<string, () => [path: string, heading: string, ...texts: string[]]> = {
    overview: () => ['', 'Overview', 'TypeError: Cannot read properties', 'down', 'Last tick'],
    errors: () => ['groups', 'Errors', 'TypeError: Cannot read properties', 'Needs you'],
    'one error': () => [
      'groups/v1%3A0123456789abcdef',
      'TypeError: Cannot read',
      'Acknowledge',
      'Latest events',
      'charge.js',
    ],
    events: () => ['events', 'Events', '7 events', 'sensor.reading', 'All conditions'],
    'a search': () => ['events?q=status:PENDING', 'Events', '2 events', 'order.amended'],
    'a search without matches': () => ['events?q=type:nothing', 'Events', 'No event matches'],
    'an invalid search': () => ['events?q=status:lost', 'Events', 'Use one of PENDING'],
    'the archive': () => ['events/archive', 'Archive', 'The archive is empty'],
    'the activity': () => ['activity', 'Activity', 'replayed', 'the fix is out'],
    'the activity without a match': () => ['activity?actor=bob', 'Activity', 'No action matches'],
    'one event': () => [
      `events/${ids.failed}`,
      'order.created',
      'charge.js',
      '"orderId"',
      'HTTP 422',
      'no tax rate',
      'x-tenant',
    ],
    'a binary event': () => [`events/${ids.binary}`, 'sensor.reading', '00 01 02 ff'],
    edit: () => [`events/${ids.failed}/edit`, 'Edit and replay', 'Preview'],
    runs: () => ['runs', 'Runs', 'No replay yet', 'What happens next'],
    'scheduled retries': () => ['runs?view=ticks', 'Runs', '3 events claimed, 2 delivered'],
    'a tick': () => ['runs/1', 'Scheduled retries', 'shop/orders'],
    'a replay preview': () => [
      'runs/new?q=type:order.*',
      'Replay 5 events',
      'http://shop/orders',
      'already delivered',
    ],
    'a discard preview': () => [
      'events/discard?q=type:order.*',
      'Discard 5 events',
      'Discarded events are no longer delivered',
    ],
    targets: () => ['targets', 'Targets', 'shop/orders', 'Without a route', 'sensor.reading'],
    'one target': () => [
      `targets/${encodeURIComponent('http://shop/orders')}`,
      'shop/orders',
      'down',
      'since 3 h ago',
      'no tax rate',
      'Probe now',
      'route 1',
    ],
    'an unknown page': () => ['nowhere', 'Page not found'],
  };

  for (const [name, page] of Object.entries(pages)) {
    it(`the page has its heading and content, with and without script: ${name}`, async () => {
      const [path, heading, ...texts] = page();
      for (const tab of [tabs.light, tabs['without script']]) {
        await tab?.page.goto(`${served().url}/${path}`);
        const text = (await tab?.page.locator('main').textContent()) ?? '';
        assert.ok(((await tab?.page.locator('h1').first().textContent()) ?? '').startsWith(heading));
        for (const each of texts) assert.ok(text.includes(each), `${each} in ${text}`);
        assert.equal(await tab?.page.locator('[class*=undefined], [class*=false]').count(), 0);
      }
    });

    it(`the page is accessible in the dark theme and on a phone: ${name}`, async () => {
      const [path] = page();
      for (const [device, tab] of Object.entries(tabs).slice(1, 3)) {
        const response = await tab.page.goto(`${served().url}/${path}`);
        assert.ok(((await response?.body())?.length ?? 0) < 100_000, 'the page is too large');
        assert.deepEqual(await findViolations(tab), [], device);
        assert.equal(
          await tab.page.evaluate('document.documentElement.scrollWidth - innerWidth'),
          0,
          `${device}: scrolls horizontally`,
        );
      }
    });
  }

  it('the pages cause no browser error', () => {
    const errors = Object.values(tabs).flatMap((tab) => tab.browserErrors);
    const unexpected = errors.filter((each) => !/status of 40[04]/.test(each));
    assert.deepEqual(unexpected, []);
  });
});
