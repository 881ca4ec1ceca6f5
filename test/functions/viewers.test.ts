import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as v from 'valibot';
import { FilterSchema } from '../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../shared/events/filter/print-filter-text.ts';
import { useApi } from '../support/api.ts';
import { operator, useConsole, viewer } from '../support/console.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { aRouteTo } from '../support/routes.ts';

describe('a viewer of the API', () => {
  const database = useDatabase();
  const served = { caller: viewer };
  const api = useApi(database, {
    routes: [aRouteTo('http://127.0.0.1:1/', {})],
    identify: async () => served.caller,
  });
  let id = '';
  before(async () => {
    id = await anEvent(database());
  });

  it('may look', async () => {
    for (const path of ['/events', `/events/${id}`, `/events/${id}/attempts`, '/audit', '/runs']) {
      assert.equal((await api().get(path)).status, 200, path);
    }
  });

  it('may not act, nor preview what operators do', async () => {
    const filter = { ids: [id] };
    for (const [path, body] of [
      ['/events/discard', { filter, reason: 'x' }],
      ['/events/reopen', { filter, reason: 'x', dryRun: true }],
      ['/events/reprioritize', { filter, reason: 'x', priority: 1 }],
      ['/events/restore', { ids: [id], reason: 'x' }],
      ['/runs', { filter, reason: 'x' }],
      ['/runs', { filter, dryRun: true }],
      ['/runs/1/pause', {}],
      ['/runs/1/resume', {}],
      ['/runs/1/cancel', {}],
    ] as const) {
      const { status, body: answer } = await api().post<{ code: string }>(path, body);
      assert.deepEqual([status, answer.code], [403, 'FORBIDDEN'], path);
    }
    const [event] = await database().sql('select status from dlq_events');
    assert.deepEqual(event, { status: 'PENDING' });
    assert.deepEqual(await database().sql('select from dlq_audit'), []);
  });

  it('may not act by another method that is read as POST', async () => {
    const headers = { 'x-http-method-override': 'POST', 'content-type': 'application/json' };
    const response = await fetch(`${api().url}/events/discard?_method=POST`, { headers });
    assert.equal(response.status, 405);
  });
});

describe('the values that a route masks', () => {
  const database = useDatabase();
  const routes = [aRouteTo('http://127.0.0.1:1/', { mask: ['$.card', '$.items.*.pin', 'headers.X-Token'] })];
  const served = { caller: viewer };
  const api = useApi(database, { routes, identify: async () => served.caller });
  const pages = useConsole(database, { routes });
  let id = '';
  before(async () => {
    const payload = '{"card": "4111", "items": [{"pin": 12}], "sku": "MUG"}';
    id = await anEvent(database(), { payload, body: Buffer.from(payload), headers: '{"x-token": "secret"}' });
  });
  const filters = {
    'a payload filter on the value': { payload: { card: '4111' } },
    'a payload filter on a part of it': { payload: { card: {} } },
    'a payload filter on an element': { payload: { items: [{ sku: 'x' }, { pin: 12 }] } },
    'a payload filter on the whole payload': { payload: 'the whole payload, as text' },
    'a header filter': { headers: { 'x-token': 'secret' } },
    'a header filter in other letters': { headers: { 'X-TOKEN': 'secret' } },
  };
  const print = (filter: object) => encodeURIComponent(printFilterText(v.parse(FilterSchema, filter)));
  const list = (filter: object) => api().get(`/events?q=${print(filter)}`);
  const archive = (filter: object) => api().get(`/events?archived=true&q=${print(filter)}`);
  const countProbes = async (actor: string) => {
    const action = 'compare masked values';
    return (await database().sql('select from dlq_audit where action = $1 and actor = $2', [action, actor]))
      .length;
  };

  for (const [what, filter] of Object.entries(filters)) {
    it(`cannot be guessed by a viewer with ${what}`, async () => {
      served.caller = viewer;
      for (const { status } of [await list(filter), await archive(filter)]) assert.equal(status, 403);
      pages().caller = viewer;
      const [[field, value]] = Object.entries(filter) as [[string, unknown]];
      const q = encodeURIComponent(`${field}:${JSON.stringify(value)}`);
      for (const path of ['events', 'events/archive', 'events/discard', 'events/reopen', 'runs/new']) {
        assert.equal((await fetch(`${pages().url}/${path}?q=${q}`)).status, 403, path);
      }
      assert.equal(await countProbes(viewer.name), 0);
    });

    it(`can be compared by an operator with ${what}, which the audit records without the value`, async () => {
      served.caller = operator;
      const before = await countProbes(operator.name);
      assert.equal((await list(filter)).status, 200);
      assert.equal(await countProbes(operator.name), before + 1);
      const [entry] = await database().sql<{ details: object }>(
        'select details from dlq_audit order by id desc limit 1',
      );
      assert.doesNotMatch(JSON.stringify(entry?.details), /4111|secret|12/);
    });
  }

  it('are not compared by filters on other values', async () => {
    served.caller = viewer;
    for (const filter of [
      { payload: { sku: 'MUG' } },
      { payload: { items: [{ sku: 1 }] } },
      { headers: { tenant: 'a' } },
    ]) {
      assert.equal((await list(filter)).status, 200);
    }
  });

  for (const [what, patch] of Object.entries({
    'a test of the value': [{ op: 'test', path: '/card', value: '4111' }],
    'a test of the whole document': [{ op: 'test', path: '', value: {} }],
    'a test of a list around it': [{ op: 'test', path: '/items', value: [] }],
    'a test of a copy': [
      { op: 'copy', from: '/card', path: '/note' },
      { op: 'test', path: '/note', value: '4111' },
    ],
    'a test of an element that was moved': [
      { op: 'add', path: '/items/0', value: {} },
      { op: 'test', path: '/items/1/pin', value: 12 },
    ],
  })) {
    it(`are compared by ${what} in a patch, which the audit records`, async () => {
      served.caller = operator;
      const before = await countProbes(operator.name);
      const { status } = await api().post('/runs', { filter: { ids: [id] }, dryRun: true, patch });
      assert.deepEqual([status, await countProbes(operator.name)], [200, before + 1]);
      pages().caller = viewer;
      const query = new URLSearchParams({ q: `id:${id}`, patch: JSON.stringify(patch) });
      assert.equal((await fetch(`${pages().url}/runs/new?${query}`)).status, 403);
    });
  }

  it('are not compared by a patch that only changes them', async () => {
    served.caller = operator;
    const before = await countProbes(operator.name);
    const patch = [
      { op: 'test', path: '/sku', value: 'MUG' },
      { op: 'replace', path: '/card', value: 'x' },
    ];
    await api().post('/runs', { filter: { ids: [id] }, dryRun: true, patch });
    assert.equal(await countProbes(operator.name), before);
  });
});
