import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { listGroupsOperation } from '../../../functions/replay/group-operations.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('the filter of the errors', () => {
  const database = useDatabase();
  const routes = [
    aRouteTo('http://invoices.example', { match: { eventType: 'invoice.*' } }),
    aRouteTo('http://orders.example'),
  ];
  const served = useConsole(database, { routes });
  const open = async (query: string) => (await fetch(`${served().url}/groups?${query}`)).text();
  const list = async (query: string) =>
    [...(await open(query)).matchAll(/name="fingerprint" value="v2:(\w)"/g)].map(([, name]) => name).join('');
  const listByApi = async (query: Record<string, string>) => {
    const api = { db: database().db, routes, retry: retryConfig(), costLimit: 0 };
    const request = {
      params: {},
      body: undefined,
      caller: 'ann',
      query: new URLSearchParams(query),
      now: new Date(),
    } as never;
    const { body } = (await listGroupsOperation.handle(api, request)) as {
      body: { items: { fingerprint: string }[]; next: string | null };
    };
    return { names: body.items.map(({ fingerprint }) => fingerprint.slice(3)).join(''), next: body.next };
  };
  before(async () => {
    const subscription = 'projects/p/subscriptions/payments';
    await anEvent(database(), { fingerprint: 'v2:a', event_type: 'order.placed', consumer_group: 'billing' });
    await anEvent(database(), {
      fingerprint: 'v2:b',
      event_type: 'invoice.sent',
      source_subscription: subscription,
    });
    await anEvent(database(), { fingerprint: 'v2:c', event_type: 'order.placed' });
    await anEvent(database(), { fingerprint: 'v2:c', event_type: 'order.placed' });
    await anEvent(database(), { fingerprint: 'v2:c', event_type: 'invoice.sent' });
    await open('');
    await database().sql(`
      update dlq_error_groups
      set first_seen_at = now() - case fingerprint when 'v2:a' then interval '2 days' when 'v2:b' then interval '2 hours' else interval '1 hour' end`);
  });

  it('shows the errors of an event type, any of whose events has it', async () => {
    assert.equal(await list('type=order.placed&order=first'), 'ca');
    assert.equal(await list('type=invoice.sent&order=first'), 'cb');
    assert.equal((await listByApi({ eventType: 'order.placed', order: 'first' })).names, 'ca');
  });

  it('shows the errors of a consumer group or a subscription', async () => {
    assert.equal(await list('consumer=billing'), 'a');
    assert.equal(await list('consumer=projects/p/subscriptions/payments'), 'b');
    assert.equal((await listByApi({ consumer: 'billing' })).names, 'a');
  });

  it('shows the errors whose latest event goes to a target', async () => {
    assert.equal(await list('target=http://invoices.example&order=first'), 'cb');
    assert.equal(await list('target=http://orders.example'), 'a');
    assert.equal((await listByApi({ target: 'http://orders.example' })).names, 'a');
  });

  it('shows new errors', async () => {
    assert.equal(await list('novelty=new&order=first'), 'cb');
    assert.equal((await listByApi({ novelty: 'new', order: 'first' })).names, 'cb');
  });

  it('sorts by the same order in the API, which also turns it', async () => {
    assert.equal(await list('order=first'), 'cba');
  });

  it('goes on behind the last error of the page before', async () => {
    const { key } = await keyOf('v2:c');
    assert.equal(await list(`order=first&after=${key}~v2:c`), 'ba');
  });

  it('goes on in the API behind an error of a million failures whose name has spaces', async () => {
    await database().sql(
      `insert into dlq_error_groups (fingerprint, first_seen_at, last_seen_at)
      values ('rule:Declined cards', now(), now())`,
    );
    await database().sql(
      `insert into dlq_counts (event_type, fingerprint, failed_permanently)
      values ('order.placed', 'rule:Declined cards', 2e6)`,
    );
    const { names, next } = await listByApi({ limit: '1' });
    assert.equal(names, 'e:Declined cards');
    assert.equal((await listByApi({ limit: '1', cursor: next ?? '' })).names, 'c');
  });

  it('keeps the conditions in the links of views, and in the form', async () => {
    const page = await open('type=order.placed&consumer=gone&novelty=new');
    assert.ok(page.includes('groups?type=order.placed&amp;consumer=gone&amp;novelty=new&amp;view=muted'));
    assert.match(page, /<option value="gone" selected>/);
    assert.match(page, /No error matches/);
  });

  async function keyOf(fingerprint: string): Promise<{ key: string }> {
    const [row] = await database().sql<{ key: string }>(
      'select (date_part($2, first_seen_at))::text as key from dlq_error_groups where fingerprint = $1',
      [fingerprint, 'epoch'],
    );
    assert.ok(row);
    return row;
  }
});
