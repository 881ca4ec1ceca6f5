import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { before, describe, it } from 'node:test';
import { type Tab, useBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { aSmallOffice, type SmallOffice } from '../../support/console-data.ts';
import { useDatabase } from '../../support/database.ts';
import { aRouteTo } from '../../support/routes.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe('every page of the console', () => {
  const database = useDatabase();
  const served = useConsole(database, {
    routes: [aRouteTo('http://shop/orders', { match: { eventType: 'order.*' } })],
  });
  const openTab = useBrowser();
  let ids: SmallOffice;
  let tabs: Readonly<Record<string, Tab>>;
  before(async () => {
    ids = await aSmallOffice(database());
    const phone = { viewport: { width: 360, height: 740 } };
    tabs = {
      light: await openTab({ colorScheme: 'light' }),
      dark: await openTab({ colorScheme: 'dark' }),
      'on a phone': await openTab({ ...phone, colorScheme: 'light' }),
      'without script': await openTab({ ...phone, javaScriptEnabled: false }),
    };
  });

  const pages: Record<string, () => [path: string, heading: string, ...texts: string[]]> = {
    overview: () => ['', 'Overview', 'TypeError: Cannot read properties', 'down', 'Last tick'],
    errors: () => ['groups', 'Errors', 'TypeError: Cannot read properties', 'Most waiting'],
    'one error': () => [
      'groups/v1%3A0123456789abcdef',
      'TypeError: Cannot read',
      'Acknowledge',
      'Latest events',
      'charge.js',
    ],
    events: () => ['events', 'Events', '7 events', 'sensor.reading', 'Filter by form'],
    'events that were searched for': () => ['events?q=status:PENDING', 'Events', '2 events', 'order.amended'],
    'a search that nothing matches': () => ['events?q=type:nothing', 'Events', 'No event matches'],
    'a search that cannot be read': () => ['events?q=foo:bar', 'Events', 'There is no such word'],
    'the archive': () => ['events/archive', 'Archive', 'Nothing in the archive matches'],
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
    edit: () => [`events/${ids.failed}/edit`, 'Edit and replay', 'Show the difference'],
    runs: () => ['runs', 'Runs', 'Nobody has replayed anything yet', '3 events tried, 2 delivered'],
    'a tick': () => ['runs/1', 'Retries by schedule', 'http://shop/orders'],
    'a replay to be': () => [
      'runs/new?q=type:order.*',
      'Replay 5 events',
      'http://shop/orders',
      'was delivered already',
    ],
    'a discard to be': () => [
      'events/discard?q=type:order.*',
      'Discard 5 events',
      'Nothing delivers them any more',
    ],
    targets: () => ['targets', 'Targets', 'http://shop/orders', 'Without a route', 'sensor.reading'],
    'a page that is not there': () => ['nowhere', 'There is no such page'],
  };

  for (const [name, page] of Object.entries(pages)) {
    it(`says what it is about: ${name}`, async () => {
      const [path, heading, ...texts] = page();
      for (const tab of [tabs.light, tabs['without script']]) {
        await tab?.page.goto(`${served().url}/${path}`);
        const text = (await tab?.page.locator('main').textContent()) ?? '';
        assert.ok(((await tab?.page.locator('h1').first().textContent()) ?? '').startsWith(heading));
        for (const each of texts) assert.ok(text.includes(each), `${each} in ${text}`);
      }
    });

    it(`is for everyone, in the dark and on a phone: ${name}`, async () => {
      const [path] = page();
      for (const [way, tab] of Object.entries(tabs).slice(1, 3)) {
        const response = await tab.page.goto(`${served().url}/${path}`);
        assert.ok(((await response?.body())?.length ?? 0) < 100_000, 'weighs too much');
        assert.deepEqual(await findFaults(tab), [], way);
        assert.equal(
          await tab.page.evaluate('document.documentElement.scrollWidth - innerWidth'),
          0,
          `${way}: scrolls sideways`,
        );
      }
    });
  }

  it('makes the browser complain of nothing', () => {
    const complaints = Object.values(tabs).flatMap((tab) => tab.complaints);
    const unexpected = complaints.filter((each) => !/status of 40[04]/.test(each));
    assert.deepEqual(unexpected, []);
  });
});

/** What axe finds serious or worse. */
async function findFaults({ page }: Tab): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>('axe.run()');
  return found.violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3)}`);
}
