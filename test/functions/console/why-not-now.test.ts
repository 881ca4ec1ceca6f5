import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { holdTarget } from '../../../shared/targets/change-hold.ts';
import { useBrowser } from '../../support/browser.ts';
import { operator, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('the list of events', () => {
  const database = useDatabase();
  const routes = [
    { ...aRouteTo('http://shop/', { match: { eventType: 'order.*' } }), ordered: true },
    aRouteTo('http://mail/', { match: { eventType: 'mail.*' } }),
  ];
  const served = useConsole(database, { routes });
  const openTab = useBrowser();

  const read = async (path: string) => (await fetch(`${served().url}/${path}`)).text();

  it('says of each event what it waits for', async () => {
    const first = await anEvent(database(), { source_key: 'k', status: 'FAILED_PERMANENTLY' });
    await anEvent(database(), { source_key: 'k' });
    await anEvent(database(), { event_type: 'invoice.created' });
    await anEvent(database(), { event_type: 'mail.sent' });
    await holdTarget({ db: database().db, routes }, { target: 'http://mail/', actor: 'ann', reason: 'x' });
    const page = await read('events');

    assert.match(page, new RegExp(`goes first\\."><a href="events/${first}">behind ${first}<`));
    assert.match(page, /title="No route matches it\."><a href="targets\/route\?[^"]*">no route</);
    assert.match(page, /title="Its target is held\. ann: x">target held</);
    assert.match(page, /title="It has failed permanently[^"]*">needs a decision</);
  });

  it('says due only of an event that the next tick sends', async () => {
    const id = await anEvent(database(), { source_key: 'free' });
    assert.match(await read(`events?q=id:${id}`), /class="busy">due</);
    assert.match(
      await read(`events/${id}`),
      /It is due: the next tick sends it\..*"runs#run-now">Run the schedule now/s,
    );
    assert.match(await read('runs'), /id="run-now"/);
    served().caller = viewer;
    const shown = await read(`events/${id}`);
    served().caller = operator;
    assert.match(shown, /It is due: the next tick sends it\./);
    assert.doesNotMatch(shown, /Run the schedule now/);
  });

  it('names on the page of an event the one thing that helps, also what waits for it', async () => {
    const [poison, waiting] = [
      await anEvent(database(), { source_key: 'p', status: 'FAILED_PERMANENTLY' }),
      await anEvent(database(), { source_key: 'p' }),
    ];
    assert.match(await read(`events/${waiting}`), new RegExp(`class="button" href="events/${poison}"`));
    const first = await read(`events/${poison}`);
    assert.match(first, /1 event waits behind this one/);
    assert.match(first, new RegExp(`class="button" href="events/${poison}/edit">Edit and replay`));
  });

  it('names on the overview what waits behind an event that no route matches, or whose own target is held', async () => {
    const [unrouted, held] = [
      await anEvent(database(), { event_type: 'invoice.created', source_key: 'C-1' }),
      await anEvent(database(), { event_type: 'mail.sent', source_key: 'C-2' }),
    ];
    for (const source_key of ['C-1', 'C-2', 'C-1', 'C-2']) await anEvent(database(), { source_key });
    const page = await read('');
    const blockedBy = (type: string, id: string, why: string) =>
      new RegExp(`2 events wait behind ${type} <a href="events/${id}">${id}</a> .key C-..\\. ${why}`);

    assert.match(page, /more than 5 events blocked by a key/);
    assert.match(page, blockedBy('invoice.created', unrouted, 'No route matches it'));
    assert.match(page, blockedBy('mail.sent', held, 'Its target is held. ann: x'));
  });

  it('names the open replay that has selected an event, whatever else it waits for', async () => {
    const id = await anEvent(database(), { event_type: 'mail.sent' });
    const run = await aRun({ db: database().db, routes }, { filter: { ids: [id] }, toHeldTargets: true });
    assert.match(
      await read(`events/${id}`),
      new RegExp(`href="runs/${run.id}">Run ${run.id}</a> has selected it`),
    );
  });

  it('says how many kinds of events without a route it does not list', async () => {
    for (let n = 0; n < 22; n++) await anEvent(database(), { event_type: `unrouted.${n}` });
    assert.match(await read('targets'), /and \d other kinds of events/);
  });

  it('writes the route of an event that has none, to copy into the configuration', async () => {
    const id = await anEvent(database(), { event_type: 'invoice.paid', consumer_group: 'books' });
    const [, link = ''] =
      /class="button" href="(targets\/route[^"]*)"/.exec(await read(`events/${id}`)) ?? [];
    const form = link.replaceAll('&amp;', '&');
    assert.match(await read(form), /name="eventType" value="invoice\.paid"/);
    assert.match(
      await read(`${form}&url=https://books.example/`),
      /&quot;url&quot;: &quot;https:\/\/books\.example\/&quot;/,
    );
    assert.match(await read(`${form}&url=books`), /Must be an http/);
  });

  it('names a poison pill: its target answers none of its deliveries, and takes the others', async () => {
    const [poison, other] = [
      await anEvent(database(), { event_type: 'mail.bomb' }),
      await anEvent(database(), { event_type: 'mail.sent', status: 'SUCCEEDED', processed_at: new Date() }),
    ];
    const attempt = (id: string, n: number, outcome: string) =>
      database().sql(
        `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
         values ($1, $2, $3, 'http://mail/', now(), 5)`,
        [id, n, outcome],
      );
    for (let n = 1; n <= 3; n++) await attempt(poison, n, 'ambiguous');
    assert.doesNotMatch(await read(`events/${poison}`), /A poison pill/);
    for (let n = 1; n <= 5; n++) await attempt(other, n, 'delivered');

    assert.match(
      await read(`events/${poison}`),
      /A poison pill\..*no answer to 3 deliveries.*5 of the latest 5 other deliveries/s,
    );
    assert.doesNotMatch(await read(`events/${other}`), /A poison pill/);
  });

  it('leads from no number to other events than it counts: behind its key, an event is not due within the hour', async () => {
    await database().clear();
    const soon = { source_key: 'q', retry_after: new Date(Date.now() + 600_000) };
    for (let n = 0; n < 2; n++) await anEvent(database(), soon);

    assert.match(await read('events?q=due:>now due:<1h'), /2 events/);
    for (const page of ['', 'runs'])
      assert.match(await read(page), /<a href="[^"]*">Within the hour<\/a><span>1<\/span>/);
  });

  it('says beside a lower bound of what is held back how many events wait, also on a phone', async () => {
    await manyEvents(database(), 10_001, 'bulk.unrouted');
    assert.match(
      await read('runs'),
      /10,0\d\d events wait without a route.*Held back<\/span><span>more than [\d,]+</s,
    );
    const { page } = await openTab({ viewport: { width: 375, height: 812 } });
    await page.goto(`${served().url}/runs`);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 375);
  });
});
