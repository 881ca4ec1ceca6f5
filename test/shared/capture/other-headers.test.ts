import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';

type Headers = Record<string, string>;
const json = { 'content-type': 'application/json' };

describe('equal bodies with other headers', () => {
  const database = useDatabase();
  const days = () => openDays(database);
  const send = async (body: string, requests: readonly Headers[], signature?: string) => {
    const stored = [];
    for (const headers of requests) {
      const captures = readCaptures({
        path: '/', query: new URLSearchParams(), headers, body: Buffer.from(body), ...(signature && { signature }),
      }); // biome-ignore format: one line each
      stored.push(...(await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures)));
    }
    return stored;
  };
  let count = 0;

  for (const isDelivered of [false, true]) {
    it(`are two events, ${isDelivered ? 'after a delivery' : 'at once'}; the second names the first`, async () => {
      const own = { ...json, 'event-id': `e-${count++}` };
      const [first] = await send('{"id": 5}', [{ ...own, 'x-shopify-topic': 'products/delete' }]);
      if (isDelivered) await days().deliver(first?.id ?? '');
      const [second] = await send('{"id": 5}', [{ ...own, 'x-shopify-topic': 'collections/delete' }]);
      const [again] = await send('{"id": 5}', [{ ...own, 'x-shopify-topic': 'collections/delete' }]);

      assert.deepEqual([second?.isNew, second?.conflictsWith], [true, first?.id]);
      assert.equal(again?.id, second?.id);
    });
  }

  it('are two events if a name and its value are the same text, but end elsewhere', async () => {
    const own = { ...json, 'event-id': `e-${count++}` };
    const [first, second] = await send('{"id": 5}', [
      { ...own, tenant: 'a"b' },
      { ...own, 'tenant"a\\': 'b' },
    ]);

    assert.deepEqual([second?.isNew, second?.conflictsWith], [true, first?.id]);
  });

  it('are two events if they are of two media types, and one if only one request has a type', async () => {
    const own = { 'event-id': `e-${count++}`, 'x-tenant': 'acme' };
    const typed = (type: string) => ({ ...own, 'content-type': type });
    const requests = [typed('text/csv'), typed('text/plain'), typed('text/csv'), own];
    const [csv, plain, again, untyped] = await send('1,2', requests);

    assert.deepEqual([plain?.isNew, plain?.conflictsWith], [true, csv?.id]);
    assert.deepEqual([again?.id, untyped?.id], [csv?.id, csv?.id]);
  });

  it('are one event if one media type says no more than another, and two of two charsets', async () => {
    const own = { 'event-id': `e-${count++}` };
    const charsets = ['', ';charset="UTF-8"', '; charset=utf-8', ' ;\tcharset=utf-8'];
    const types = charsets.map((charset) => `application/json${charset}`);
    const typed = (type: string) => ({ ...own, 'content-type': type });
    const stored = await send('{"a": 1}', types.map(typed));
    assert.deepEqual(new Set(stored.map(({ id }) => id)), new Set([stored[0]?.id]));
    const [other] = await send('{"a": 1}', [typed('application/json; charset=iso-8859-1')]);
    assert.equal(other?.conflictsWith, stored[0]?.id);
  });

  for (const [title, name] of Object.entries({
    '': 'region',
    ', also of names that differ in case': 'Tenant',
  })) {
    it(`are two events in one request, too${title}`, async () => {
      const records = ['a', 'b'].map((value) => ({
        message: {
          messageId: `${value}-${count}`,
          attributes: { event_id: `e-${count}`, [name]: value, tenant: 'acme' },
          data: 'e30=',
        },
        subscription: 's',
      }));
      const stored = await send(JSON.stringify(records), [json]);
      assert.deepEqual([stored.length, stored[1]?.conflictsWith], [2, stored[0]?.id]);
      count++;
    });
  }

  const webhooks: Record<string, (id: string) => Headers> = {
    'X-Shopify-Webhook-Id': (id) => ({ 'x-shopify-webhook-id': id, 'x-shopify-topic': 'products/delete' }),
    'webhook-id': (id) => ({ 'webhook-id': id }),
    'svix-id': (id) => ({ 'svix-id': id }),
    'X-GitHub-Delivery': (id) => ({ 'x-github-delivery': id, 'x-github-event': 'push' }),
    'X-Gitlab-Event-UUID': (id) => ({ 'x-gitlab-event-uuid': id, 'x-gitlab-event': 'Push Hook' }),
    'X-Goog-Message-Number': (id) => ({
      'x-goog-channel-id': 'c',
      'x-goog-message-number': id,
      'x-goog-resource-state': 'update',
    }),
    'X-CloudScheduler-ScheduleTime': (id) => ({
      'x-cloudscheduler-jobname': 'j',
      'x-cloudscheduler-scheduletime': id,
    }),
  };
  for (const [name, header] of Object.entries(webhooks)) {
    for (const body of ['', '{"id": 5}']) {
      it(`are one event for each ${name}, ${body ? 'with a body' : 'without'}, whenever it is repeated over other hops`, async () => {
        const own = count++;
        const hop = (n: number) => ({
          traceparent: `00-${'1'.repeat(32)}-${`${n}`.repeat(16)}-01`, 'x-request-id': `r${n}`, date: `Thu, 0${n} Jan 2026 00:00:00 GMT`,
          'x-forwarded-for': `10.0.0.${n}`, via: `1.${n} proxy`, 'user-agent': `hook/${n}`,
        }); // biome-ignore format: one line each
        const request = (n: string, hops: number) => ({ ...header(`${own}-${n}`), ...hop(hops) });
        const [first, other, again] = await send(body, [request('1', 1), request('2', 1), request('1', 2)]);
        await days().deliver(first?.id ?? '');
        await days().pass(60 * 24);
        const [late] = await send(body, [request('1', 3)]);
        const event = await days().show(first?.id ?? '');

        assert.notEqual(other?.id, first?.id);
        assert.deepEqual([again?.id, late?.id], [first?.id, first?.id]);
        assert.deepEqual([event.status, event.failures], ['SUCCEEDED', 1]);
        const [stored] = await database().sql<{ headers: Headers }>(
          'select headers from dlq_events where id = $1',
          [first?.id],
        );
        for (const [key, value] of Object.entries(header(`${own}-1`)))
          assert.equal(stored?.headers[key], value);
      });
    }
  }

  for (const state of ['delivered', 'discarded', 'failed permanently', 'being delivered']) {
    it(`are no news with a signature that was seen, of an event that is ${state}`, async () => {
      const signature = `signed-${count++}`;
      const body = `{"order": "${signature}"}`;
      const [first] = await send(body, [{ ...json, 'x-any': '1' }], signature);
      const id = first?.id ?? '';
      if (state === 'delivered') await days().deliver(id);
      else {
        const status =
          { discarded: 'DISCARDED', 'failed permanently': 'FAILED_PERMANENTLY' }[state] ?? 'PROCESSING';
        await database().sql('update dlq_events set status = $2 where id = $1', [id, status]);
      }
      const before = await database().sql('select * from dlq_events where id = $1', [id]);
      const [again] = await send(body, [{ ...json, 'x-any': '1' }], signature);

      assert.equal(again?.id, id);
      assert.deepEqual(await database().sql('select * from dlq_events where id = $1', [id]), before);
    });
  }
});
