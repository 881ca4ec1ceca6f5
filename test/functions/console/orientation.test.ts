import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('a deployed console', () => {
  const database = useDatabase();
  const served = useConsole(database, {
    environment: 'shop-production',
    routes: [aRouteTo('http://shop.example', { match: { eventType: 'order.retried' } })],
  });
  const local = useConsole(database);
  let id = '';
  before(async () => {
    id = await anEvent(database(), {
      source_topic: 'projects/shop-prod/topics/orders',
      source_subscription: 'projects/shop-prod/subscriptions/billing',
      source_key: 'ORD 1',
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      error_reason: 'abc\u202Edcba',
      error_class: 'Bad\u202EError',
      event_type: 'order.\u2066paid',
      consumer_group: 'bill\u202Eing',
      fingerprint: 'v1:hidden',
      payload: '{"שם": "אברהם", "note": "a\u2066b"}',
      body: Buffer.from('{"note":"a\u2066b"}'),
    });
  });
  const read = async (path: string, url = served().url) => (await fetch(`${url}/${path}`)).text();

  it('names its environment in title, header and confirmations, by its color, too', async () => {
    assert.match(await read('events'), /<title>shop-production · Events/);
    assert.match(await read('events'), /class="topbar production"/);
    assert.match(
      await read(`events/discard?q=id:${id}`),
      /<button class="danger">Discard 1 event in shop-production<\/button>/,
    );
  });

  it('names no environment if it has no name', async () => {
    assert.doesNotMatch(await read('events', local().url), /class="environment/);
  });

  it('links the key of an event to all events that have it', async () => {
    const [, link = ''] = /href="([^"]+)"><code>ORD 1</.exec(await read(`events/${id}`)) ?? [];
    assert.match(await read(link), new RegExp(`href="events/${id}"`));
  });

  it('shows characters that reorder text as escapes on every page with texts of events', async () => {
    await refresh(database().db);
    for (const path of [
      '',
      'groups',
      'groups/v1:hidden',
      'events',
      `events/${id}`,
      `events/discard?q=id:${id}`,
      'targets',
    ]) {
      const page = (await read(path)).replaceAll(/(?:data-copy-text|value)="[^"]*"/g, '');
      assert.match(page, /(?:abc\\u202Edcba|order\.\\u2066paid)/, path);
      assert.doesNotMatch(page, /[\u202E\u2066]/, path);
    }
  });

  it('keeps such characters in the fields of a form, which are sent again', async () => {
    assert.match(await read(`events/${id}/edit`), /<textarea[^>]*>[^<]*a\u2066b/);
  });

  it('an event in a list has its id, key and next retry, and columns that no event fills are left out', async () => {
    const retried = await anEvent(database(), {
      event_type: 'order.retried',
      source_key: 'ORD 2',
      retry_count: 1,
      retry_after: new Date(Date.now() + 3_600_500),
      error_class: 'com.acme.StockError',
      error_reason: 'com.acme.StockError: none left',
    });
    const page = await read('events?q=type:order.retried');
    for (const text of [
      `>${retried}</span>`,
      '>ORD 2<',
      '>Waits for<',
      '>in 1 h<',
      '<b title="com.acme.StockError">StockError</b>: none left',
    ])
      assert.ok(page.includes(text), text);
    assert.doesNotMatch(page, />Consumer</);
  });
});
