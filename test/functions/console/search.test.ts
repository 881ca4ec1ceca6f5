import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';

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
    const { page } = await search('503');
    assert.match(page, /1 event <.*>All [\d,]+ events were read: type, error, ids, headers and payload\./);
  });

  it('finds a closed event by its key however old it is', async () => {
    assert.match((await search('old-1')).page, /1 event, found by id/);
  });

  it('finds an event by an id in its payload, error or headers', async () => {
    const body = '{"order": {"id": "ORD-104242"}}';
    await anEvent(database(), {
      payload: body,
      error_reason: 'no stock of SKU-99017',
      headers: '{"shop": "S-88012"}',
    });
    for (const q of ['ORD-104242', 'ord-104242', 'SKU-99017', 's-88012', 'ORD-104242 status:open']) {
      const { page } = await search(q);
      assert.match(page, /1 event, found by id/, q);
      assert.equal(countRows(page), 1, q);
    }
  });

  it('counts the events of a type that is typed as a word', async () => {
    await manyEvents(database(), 60, 'order.paid');
    const { page } = await search('order.paid');
    assert.match(page, /60 events, found by type/);
    assert.match(page, /name="q" value="type:order.paid"/);
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
    await refresh(database().db);
    for (const words of ['gatewaytimeout', 'Settle.pay "not charged"']) {
      const { page } = await search(words);
      assert.match(page, /1 event, found by title and causes of errors/, words);
      assert.match(page, /name="q" value="fingerprint:v2:charge"/, words);
    }
  });

  it('takes no id of a single event for a word of its error', async () => {
    for (const order of ['ORD-701', 'ORD-702', 'ORD-888'])
      await anEvent(database(), {
        fingerprint: 'v2:declined',
        error_class: 'RefundError',
        error_reason: `refund of ${order} was declined`,
        payload: '{}',
      });
    await refresh(database().db);
    assert.match((await search('ORD-88')).page, /1 event <.*>All [\d,]+ events were read/);
    assert.match((await search('declined')).page, /3 events, found by title and causes of errors/);
  });

  it('reads events for a word of more errors than it looks up', async () => {
    for (let n = 0; n < 21; n++)
      await anEvent(database(), { fingerprint: `v2:many-${n}`, error_reason: 'overflow' });
    await refresh(database().db);
    assert.match((await search('overflow')).page, /21 events <.*>All [\d,]+ events were read/);
  });

  it('reads % and _ in words as themselves in the titles of errors', async () => {
    for (const words of ['Settle_pay', 'gateway%exception']) {
      assert.match((await search(words)).page, /No event matches/, words);
    }
  });

  it('says that no event matches only when it has read every event', async () => {
    const { page } = await search('nowhere');
    assert.match(
      page,
      /No event matches<.*All [\d,]+ events were read: type, error, ids, headers and payload\./,
    );
    assert.match(page, />the archive<\/a>/);
  });

  it('shows every condition beside one that it cannot read, and saves no such view', async () => {
    const { page } = await search('status:xx');
    assert.match(
      page,
      /<code>xx<\/code> Use one of .*<details class="collapsible" open>.*<code>type:order\.\*/s,
    );
    assert.doesNotMatch(page, /Save this view/);
  });

  it('acts on the events where they were found', async () => {
    const { page } = await search('PspUnavailable');
    assert.match(page, /name="q" value="anywhere:PspUnavailable"/);
  });
});
