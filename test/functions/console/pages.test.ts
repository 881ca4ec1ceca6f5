import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { pages as routes } from '../../../functions/console/pages.ts';
import { actions } from '../../../shared/events/actions/actions.ts';
import { useBrowser } from '../../support/browser.ts';
import { checkPages, openTabs, type Pages, type Tabs } from '../../support/check-page.ts';
import { sendForm, useConsole } from '../../support/console.ts';
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
  let undoId: string | undefined;
  let tabs: Tabs;
  before(async () => {
    ids = await seedConsoleEvents(database());
    await database().sql(
      `with run as (select max(id) as id from dlq_runs), sent as (update dlq_attempts set run_id = run.id from run)
       insert into dlq_audit (actor, action, reason, run_id) select 'ada', 'create run', 'the fix is out', id from run`,
    );
    await sendForm(`${served().url}/events/snooze`, { q: `id:${ids.pending}`, until: '4h', reason: 'later' });
    const [action] = await database().sql<{ id: string }>("select id from dlq_audit where action = 'snooze'");
    undoId = action?.id;
    tabs = await openTabs(openTab);
  });

  const pages: Pages = {
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
      'Failed permanently',
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
      'only a filter that names the status SUCCEEDED selects it',
    ],
    ...Object.fromEntries(
      actions.map(({ name, verb, effect }) => [
        `the preview of ${name}`,
        () => [`events/${name}?q=type:order.*`, `${verb} `, effect] as const,
      ]),
    ),
    'a discard preview': () => [
      'events/discard?q=type:order.*',
      'Discard 5 events',
      'Discarded events are no longer delivered',
    ],
    'the preview of an undo': () => [`activity/${undoId}/undo`, 'Undo for 1 event', 'snoozed 1 event'],
    'the report of a shift': () => ['activity/report', 'Report of a shift', 'What is left'],
    'a merge': () => ['groups/v1%3A0123456789abcdef/merge', 'Merge into another error', 'sensor.reading'],
    'a split': () => [
      'groups/v1%3A0123456789abcdef/split?field=type&value=order.amended',
      'Split an error',
      'The new error: 1 event',
    ],
    'a route to write': () => [
      'targets/route?eventType=sensor.reading',
      'A route for these events',
      'Send to',
    ],
    targets: () => ['targets', 'Targets', 'shop/orders', 'Without a route', 'sensor.reading'],
    'one target': () => [
      `targets/${encodeURIComponent('http://shop/orders')}`,
      'shop/orders',
      'down',
      'began 3 h ago',
      'no tax rate',
      'Probe now',
      'route 1',
    ],
    'an unknown page': () => ['nowhere', 'Page not found'],
  };

  const paths = routes.flatMap(([method, path]) => (method === 'get' ? [path] : []));
  const patterns = paths.map((path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`));
  const findPage = (address: string) => {
    const [path = ''] = address.replace(/^[./]+/, '').split('?');
    return paths[patterns.findIndex((pattern) => pattern.test(`/${path}`))];
  };

  it('each page of the console is one of these', () => {
    const files = ['/events/selection', '/events/export', '/events/:id/body', '/events/:id/stack'];
    const shown = Object.values(pages).map((page) => findPage(page()[0]));
    assert.deepEqual(new Set([...shown, ...files]), new Set([...paths, undefined]));
  });

  checkPages(pages, () => ({ url: served().url, tabs }));

  it('each link leads to a page, and to a part of it that is there', async () => {
    const read = async (path: string) => await (await fetch(`${served().url}/${path}`)).text();
    const shown = Object.values(pages).map((page) => page()[0]);
    const texts = await Promise.all(shown.filter(findPage).map(read));
    const links = new Set(
      texts.flatMap((text) => [...text.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href)),
    );
    const dead: string[] = [];
    for (const link of links) {
      const [path = '', part] = link.replaceAll('&amp;', '&').split('#');
      if (!findPage(path)) dead.push(link);
      else if (part && !(await read(path)).includes(`id="${part}"`)) dead.push(link);
    }
    assert.deepEqual(dead, []);
  });

  it('the pages cause no browser error', () => {
    const errors = tabs.flatMap((tab) => tab.browserErrors);
    const unexpected = errors.filter((each) => !/status of 40[04]/.test(each));
    assert.deepEqual(unexpected, []);
  });
});
