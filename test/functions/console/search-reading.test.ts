import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useBrowser } from '../../support/browser.ts';
import { operator, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('a search in 3,000 later events', () => {
  const database = useDatabase();
  const costs = { costLimit: 20 };
  /** Each of its requests reads a single part, 1,000 events, however fast the machine is. */
  const served = useConsole(database, { ...costs, readMs: 0 });
  const patient = useConsole(database, { ...costs, readMs: 600_000 });
  const openTab = useBrowser();
  const read = async (path: string) =>
    (await fetch(`${served().url}/${path.replaceAll('&amp;', '&')}`)).text();
  const linkOf = (page: string) => /rel="next" href="([^"]+)">Go on</.exec(page)?.[1];
  let id = '';
  before(async () => {
    id = await anEvent(database(), {
      error_reason: 'no such tenant',
      payload: '{"sku": "needle", "order": "ORD-104242"}',
      headers: '{"tenant": "acme"}',
    });
    await database().sql(
      `insert into dlq_events (event_type, payload, id_hashes)
       select 'order', jsonb_build_object('n', n, 'note', repeat('a word ', 20)), '' from generate_series(1, 3000) as n`,
    );
    await database().sql('analyze dlq_events');
  });

  it('finds an id in a payload with one request', async () => {
    const page = await read('events?q=ORD-104242');
    assert.match(page, /1 event, found by id/);
    assert.match(page, new RegExp(`class="title" href="events/${id}"`));
  });

  for (const words of [
    'needle',
    'error:tenant',
    'contains:needle',
    'payload:{"sku":"needle"}',
    'headers:{"tenant":"acme"}',
    'error:tenant class:none',
  ]) {
    it(`by ${words} reads on from where it ended, and says none only at the end`, async () => {
      let page = await read(`events?${new URLSearchParams({ q: words })}`);
      assert.ok(linkOf(page));
      for (let link = linkOf(page); link; link = linkOf(page)) {
        assert.match(page, /0 events so far <.*>Read [\d,]+ of 3,001 events, back to <time/);
        page = await read(link);
      }
      if (words.includes('none')) assert.match(page, /No event matches<.*All 3,001 events were read/);
      else assert.match(page, new RegExp(`class="title" href="events/${id}"`));
    });
  }

  it('reads part after part in one request while its time allows', async () => {
    const page = await (await fetch(`${patient().url}/events?q=contains:needle`)).text();
    assert.match(page, new RegExp(`class="title" href="events/${id}"`));
  });

  it('by a condition that the planner finds too costly reads on, too', async () => {
    const page = await read(`events?${new URLSearchParams({ q: 'class:Nowhere' })}`);
    assert.match(page, /0 events so far <.*>Read|No event matches</);
  });

  it('by a status that many have, but none of the latest, reads on up to them', async () => {
    await database().sql(`update dlq_events set status = 'DISCARDED' where id < 1500`);
    await database().sql('analyze dlq_events');
    const page = await read('events?q=status:discarded');
    assert.match(page, /0 events so far <.*>Read 1,000 of 3,001 events/);
    assert.match(await read(linkOf(page) ?? ''), /50 events so far <.*>Read back to <time/);
    await database().sql(`update dlq_events set status = 'PENDING' where status = 'DISCARDED'`);
  });

  it('by a type that no event has says so at once', async () => {
    assert.match(await read('events?q=type:nowhere'), /No event matches/);
  });

  it('ends with a page of events, and goes on behind it', async () => {
    const page = await read('events?q=contains:word');
    assert.match(page, /50 events so far <.*>Read back to <time/);
    const next = await read(linkOf(page) ?? '');
    assert.match(next, /100 events so far <.*>Read back to <time/);
  });

  it('goes on by itself in a browser, and shows what it found', async () => {
    const { page, browserErrors } = await openTab();
    await page.goto(`${served().url}/events?q=needle`);
    await page.locator(`a.title[href="events/${id}"]`).waitFor();
    await page.getByText('All 3,001 events were read').waitFor();
    assert.deepEqual(browserErrors, []);
  });

  it('ends in a browser when it is stopped', async () => {
    const { page } = await openTab();
    await page.route('**/*found=*', () => {});
    await page.goto(`${served().url}/events?q=contains:needle%20nowhere`);
    const goOn = page.locator('#reading a[rel="next"]');
    await goOn.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Stop' }).click();
    await goOn.waitFor({ state: 'visible' });
  });
});

describe('a search for an id below a mask', () => {
  const database = useDatabase();
  const route = aRouteTo('http://shop/', { mask: ['$.card'] });
  const served = useConsole(database, { routes: [route] });
  const search = async (q: string) =>
    (await fetch(`${served().url}/events?${new URLSearchParams({ q })}`)).text();
  before(() =>
    anEvent(database(), {
      payload: '{"card": "4111111111111111", "order": "ORD-104242"}',
      error_reason: 'declined',
    }),
  );

  it('finds nothing for a viewer, and what is visible', async () => {
    served().caller = viewer;
    const page = await search('4111111111111111');
    assert.match(
      page,
      /No event matches<.*Every event was read: type, error and ids, not headers and payload\./,
    );
    assert.match(await search('ORD-104242'), /1 event, found by id/);
  });

  it('finds it for an operator, and is recorded once for each search', async () => {
    served().caller = operator;
    assert.match(await search('4111111111111111'), /1 event, found by id/);
    await search('4111111111111112');
    const [{ times } = { times: 0 }] = await database().sql(
      `select count(*)::int as times from dlq_audit where action = 'compare masked values'`,
    );
    assert.equal(times, 2);
  });
});
