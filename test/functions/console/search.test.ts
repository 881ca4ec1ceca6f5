import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { findFirst } from '../../../functions/console/events/find-matches.ts';
import { listPlaces } from '../../../functions/console/events/search-places.ts';
import type { ConsoleDeps, PageContext } from '../../../functions/console/page.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { refreshGroups } from '../../../shared/groups/refresh-groups.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('the search of the console', () => {
  const database = useDatabase();
  const served = useConsole(database);
  let id = '';
  before(async () => {
    id = await anEvent(database(), {
      event_type: 'payment.authorized',
      error_class: 'com.shop.PspUnavailableException',
      error_reason: 'POST https://psp.example answered 503: try again later',
      consumer_group: 'billing',
      source_key: 'ORD-441989',
      event_id: 'pay-41989',
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      payload: '{"cart": "C-9001"}',
    });
    await database().sql(
      `insert into dlq_events (event_type, payload, source_key, status, processed_at, created_at, first_failure_at, last_failure_at)
       values ('order.created', '{}', 'OLD-1', 'SUCCEEDED', now() - interval '9 days', now() - interval '9 days', '-infinity', now() - interval '9 days')`,
    );
  });
  const search = async (q: string, path = 'events') => {
    const response = await fetch(`${served().url}/${path}?${new URLSearchParams({ q })}`);
    return { status: response.status, page: await response.text() };
  };
  const countRows = (page: string) => [...page.matchAll(/class="title" href="events\/\d+"/g)].length;

  for (const q of [
    'PspUnavailable',
    'pspunavailable',
    'ORD-441989',
    'ord-441989',
    'pay-41989',
    'payment.authorized',
    'billing',
    '4BF92F3577B34DA6A3CE929D0E0E4736',
    '"try again"',
    'again try',
    'https://psp.example',
    '503: try',
    'ORD-441989 status:PENDING',
    'status:open PspUnavailable type:payment.*',
    'contains:c-9001',
  ]) {
    it(`finds an event by ${q}`, async () => {
      const { status, page } = await search(q);
      assert.equal(status, 200);
      assert.equal(countRows(page), 1);
    });
  }

  it('finds a number as an id and in a text', async () => {
    assert.match((await search(id)).page, new RegExp(`href="events/${id}"`));
    assert.match((await search('503')).page, /found in the failures of the last 24 hours/);
  });

  it('finds a closed event by its key however old it is', async () => {
    assert.match(
      (await search('old-1')).page,
      /found in the ids, event ids, keys and trace ids of all events/,
    );
  });

  it('finds the events of an error by a class and a frame of its stack trace', async () => {
    const cut =
      'Caused by: com.bank.GatewayTimeoutException: no answer\n\tat com.shop.Settle.pay(Settle.java:7)';
    const stack = `com.shop.ChargeException: not charged\n\tat com.shop.Charge.run(Charge.java:1)\n${cut}`;
    await anEvent(database(), {
      fingerprint: 'v2:charge',
      error_class: 'com.shop.ChargeException',
      error_reason: 'not charged',
      error_stacktrace: stack,
    });
    await refreshGroups(database().db);
    for (const words of ['gatewaytimeout', 'Settle.pay "not charged"']) {
      const { page } = await search(words);
      assert.match(page, /1 event, found in the titles and causes of errors/, words);
      assert.match(page, /name="q" value="fingerprint:v2:charge"/, words);
    }
  });

  it('reads % and _ in words as themselves in the titles of errors', async () => {
    for (const words of ['Settle_pay', 'gateway%exception']) {
      assert.match((await search(words)).page, /No event matches/, words);
    }
  });

  it('says where it looked if it finds nothing, and links to other places', async () => {
    const { page } = await search('C-9001');
    assert.match(
      page,
      /It looked in the ids, event ids, keys and trace ids of all events, the failures of the last 24 hours, open events and the titles and causes of errors\./,
    );
    const [, link = ''] = /href="([^"]+)">payloads of open events</.exec(page) ?? [];
    const found = await fetch(`${served().url}/${link.replaceAll('&amp;', '&')}`);
    assert.equal(countRows(await found.text()), 1);
    for (const name of ['permanent failures', 'the archive']) assert.match(page, new RegExp(`>${name}</a>`));
  });

  it('offers a search in all fields if a condition on one matches nothing', async () => {
    const { page } = await search('type:Payment');
    const [, link = ''] = /href="([^"]+)">all fields</.exec(page) ?? [];
    assert.equal(link, 'events?q=Payment');
    assert.equal(countRows((await search('Payment')).page), 1);
  });

  it('offers a link with fixed times for a search with relative ones, and for no other', async () => {
    const linkOf = (page: string) => /href="([^"]*)">This list with fixed times/.exec(page)?.[1];
    const link = linkOf((await search('failed:>24h type:payment.*')).page);
    const q = new URLSearchParams(link?.split('?')[1]).get('q');
    assert.match(q ?? '', /^type:payment\.\* failed:>\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(linkOf((await search('type:payment.* failed:>2020-01-01')).page), undefined);
  });

  it('acts on the events where they were found', async () => {
    const { page } = await search('PspUnavailable');
    assert.match(page, /name="q" value="text:PspUnavailable failed:&gt;24h"/);
  });

  it('suggests the words of the filter and the values of known errors', async () => {
    await database().sql(
      `insert into dlq_error_groups (fingerprint, sample_event_id, first_seen_at, last_seen_at)
       values ('v1:0', $1, now(), now())`,
      [id],
    );
    const { page } = await search('');
    for (const condition of [
      'trace:',
      'type:payment.authorized',
      'class:com.shop.PspUnavailableException',
      'status:open',
    ])
      assert.ok(page.includes(`<option value="${condition}">`), condition);
  });
});

describe('a search in 20,000 later events', () => {
  const database = useDatabase();
  const served = useConsole(database, { costLimit: 200 });
  const read = async (path: string) =>
    (await fetch(`${served().url}/${path.replaceAll('&amp;', '&')}`)).text();
  let id = '';
  before(async () => {
    id = await anEvent(database(), {
      error_reason: 'no such tenant',
      payload: '{"sku": "needle"}',
      headers: '{"tenant": "acme"}',
    });
    await database().sql(
      `insert into dlq_events (event_type, payload) select 'order', '{}' from generate_series(1, 20000)`,
    );
    await database().sql('analyze dlq_events');
  });

  for (const [words, parts] of [
    ['error:tenant', 4],
    ['text:tenant', 4],
    ['contains:needle', 10],
    ['payload:{"sku":"needle"}', 4],
    ['headers:{"tenant":"acme"}', 4],
  ] as const) {
    it(`by ${words} reads a part of them at a time, and finds the event after ${parts} of them at the latest`, async () => {
      let page = await read(`events?${new URLSearchParams({ q: words })}`);
      for (let i = 0; i < parts && /No event matches so far.*back to <time/s.test(page); i++) {
        const [, link = ''] =
          /class="button" href="([^"]+)" rel="next">Search further back</.exec(page) ?? [];
        page = await read(link);
      }
      assert.match(page, new RegExp(`class="title" href="events/${id}"`));
      assert.doesNotMatch(page, /Search further back/);
    });
  }

  const look = (filter: Filter, text: string, maxMs: number) => {
    const context = { query: new URLSearchParams(), now: new Date() } as PageContext;
    const deps = { db: database().db, costLimit: 0 } as ConsoleDeps;
    return findFirst(deps, context, { places: listPlaces(filter, text), isArchive: false, maxMs });
  };

  it('for words reads a part of them in all places together', async () => {
    const looked = await look({ text: ['tenant'] }, 'tenant', 0);
    const [event] = await database().sql('select max(id)::int - 2999 as id from dlq_events');
    assert.deepEqual(
      looked.map(({ reach }) => reach?.id),
      [undefined, `${event?.id}`, `${event?.id}`],
    );
  });

  it('reads one part after the other while it has found nothing and time is left', async () => {
    const find = (maxMs: number) => look({ payloadText: 'needle' }, 'contains:needle', maxMs);
    const [[none], [found]] = [await find(0), await find(Number.POSITIVE_INFINITY)];
    assert.deepEqual([none?.rows, found?.rows.map((row) => row.id)], [[], [id]]);
  });

  it('that finds some events says how far it looked', async () => {
    const late = await anEvent(database(), { error_reason: 'no such tenant, again' });
    const page = await read('events?q=text:tenant');
    assert.match(page, /<p class="count" role="status">1 event, back to <time/);
    assert.match(page, new RegExp(`class="title" href="events/${late}"`));
    assert.match(page, />Search further back</);
  });

  it('is narrowed by a link if no index finds it, without the cost that was estimated', async () => {
    const page = await read(`events?${new URLSearchParams({ q: 'class:Nowhere' })}`);
    assert.match(page, />Last 24 hours</);
    assert.match(page, />Open only</);
    assert.doesNotMatch(page, /FILTER_COST_LIMIT/);
  });
});
