import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { listDifferences } from '../../../shared/groups/list-differences.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('the differences of an error', () => {
  const database = useDatabase();
  const masked = [aRouteTo('http://shop/', { mask: ['$.customer.card', 'headers.x-user', 'headers.x-raw'] })];
  const served = useConsole(database, { routes: masked });
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, headers, consumer_group, fingerprint)
       select 'order', jsonb_build_object('id', n, 'customer',
           jsonb_build_object('country', case when n % 4 = 0 then 'DE' else 'US' end, 'card', 'visa', 'vip', true)),
         jsonb_build_object('tenant', case when n % 50 = 0 then 'eu' else 'us' end, 'x-user', 'ada',
           'x-raw', '{"base64": "/w=="}'::jsonb), 'billing', 'v1:a'
       from generate_series(1, 500) as n
       union all
       select 'order', jsonb_build_object('id', n, 'customer',
           jsonb_build_object('country', (array['DE', 'US', 'FR', 'IT'])[1 + n % 4], 'card', 'master', 'vip', true)),
         jsonb_build_object('tenant', (array['us', 'eu', 'apac'])[1 + n % 3], 'x-user', 'bob',
           'x-raw', '{"base64": "/g=="}'::jsonb),
         case when n % 2 = 0 then 'billing' else 'shop' end, 'v1:b'
       from generate_series(1, 2000) as n`,
    );
    await database().sql(
      `insert into dlq_error_groups (fingerprint, first_seen_at, last_seen_at, sample_event_id)
       select fingerprint, now(), now(), max(id) from dlq_events group by fingerprint`,
    );
  });
  const group = { fingerprint: 'v1:a', members: ['v1:a'], open: 500, failedPermanently: 0 };
  const list = (routes = [aRouteTo('http://shop/')]) => listDifferences({ db: database().db, routes }, group);

  it('are values of headers, payload and consumer that it has more often than all events', async () => {
    const { sampled, compared, differences } = await list();
    assert.deepEqual([sampled, compared], [400, 800]);
    const shown = differences.map(({ field, value, share }) => [field, value, Math.round(share * 100)]);
    for (const expected of [
      ['headers.tenant', 'us', 98],
      ['payload.customer.country', 'US', 75],
      ['consumer', 'billing', 100],
    ])
      assert.ok(
        shown.some((each) => `${each}` === `${expected}`),
        `${expected} in ${JSON.stringify(shown)}`,
      );
    const tenant = differences.find(({ field }) => field === 'headers.tenant');
    assert.ok(tenant && tenant.shareOfAll > 0.2 && tenant.shareOfAll < 0.8, `${tenant?.shareOfAll}`);
  });

  it('are no values that all events have, and none that each event has alone', async () => {
    const fields = (await list()).differences.map(({ field }) => field);
    for (const field of ['type', 'payload.customer.vip', 'payload.id'])
      assert.ok(!fields.includes(field), field);
  });

  it('each have a filter of the events of the error that have the value', async () => {
    const { differences } = await list();
    const texts = differences.map(({ filter }) => printFilterText(filter));
    assert.ok(texts.includes('fingerprint:v1:a headers:{"tenant":"us"}'), `${texts}`);
    assert.ok(texts.includes('fingerprint:v1:a payload:{"customer":{"country":"US"}}'), `${texts}`);
    assert.ok(texts.includes('fingerprint:v1:a group:billing'), `${texts}`);
  });

  it('have no value below a mask, on the page of the error either', async () => {
    const fields = (await list(masked)).differences.map(({ field }) => field);
    assert.ok((await list()).differences.some(({ field }) => field === 'payload.customer.card'));
    for (const field of ['payload.customer.card', 'headers.x-user', 'headers.x-raw.base64'])
      assert.ok(!fields.includes(field), field);
    const page = await (await fetch(`${served().url}/groups/v1:a`)).text();
    assert.match(page, /What is different about these\?/);
    assert.match(page, />headers\.tenant</);
    assert.doesNotMatch(page, />visa<|>ada</);
  });

  it('are those of the events that are left, and of a finished error those of all', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, fingerprint, status, processed_at)
       select 'pay', jsonb_build_object('bank', case when n % 10 = 0 then 'B' else 'A' end, 'total', 12345678901234567891 + n % 2),
         'v1:c', case when n % 10 = 0 then 'PENDING' else 'SUCCEEDED' end, now()
       from generate_series(1, 500) as n`,
    );
    const describe = async (open: number) => {
      const own = { ...group, fingerprint: 'v1:c', members: ['v1:c'], open };
      const { sampled, differences } = await listDifferences({ db: database().db, routes: [] }, own);
      return {
        sampled,
        bank: differences.find(({ field }) => field === 'payload.bank'),
        differences,
      };
    };
    const { bank, differences, ...left } = await describe(50);
    assert.deepEqual(left, { sampled: 50 });
    assert.deepEqual([bank?.value, bank?.share], ['B', 1]);
    assert.deepEqual((await describe(0)).sampled, 400);

    const total = differences.find(({ field }) => field === 'payload.total');
    assert.equal(total?.value, '12345678901234567891');
    assert.equal(printFilterText(total.filter), 'fingerprint:v1:c contains:12345678901234567891');
  });
});
