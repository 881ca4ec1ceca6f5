import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readCaptures } from '../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import type { Preview } from '../../shared/replay/preview-run.ts';
import { useApi } from '../support/api.ts';
import { useConsole } from '../support/console.ts';
import { useDatabase } from '../support/database.ts';
import { aRouteTo } from '../support/routes.ts';

describe('deep JSON of an event with masked fields', () => {
  const database = useDatabase();
  const routes = [aRouteTo('http://shop/', { mask: ['$.card'] })];
  const api = useApi(database, { routes });
  const pages = useConsole(database, { routes });
  const ids: string[] = [];
  before(async () => {
    for (const depth of [3000, 20_000]) {
      const body = Buffer.from(`{"card": "4111-1111", "deep": ${'['.repeat(depth)}${']'.repeat(depth)}}`);
      const captures = readCaptures({ path: '/', query: new URLSearchParams(), headers: {}, body });
      const deps = { db: database().db, repeatSeconds: 600 };
      for (const { id } of await storeCaptures(deps, captures)) ids.push(id);
    }
  });

  it('is shown in the API and on every page of the console, without them', async () => {
    for (const id of ids) {
      for (const url of [
        `${api().url}/events/${id}`,
        ...['', '?view=raw', '?view=hex'].map((view) => `${pages().url}/events/${id}${view}`),
      ]) {
        const response = await fetch(url);
        const text = await response.text();
        assert.equal(response.status, 200, url);
        assert.ok(/\[{500}|5b 5b 5b|\(hidden\)/.test(text) && !text.includes('4111'), url);
      }
    }
  });

  it('is previewed in a replay with a patch', async () => {
    const patch = [{ op: 'add', path: '/note', value: 'x' }];
    const request = { filter: { ids }, dryRun: true, patch };
    const { status, body } = await api().post<Preview>('/runs', request);
    assert.equal(status, 200);
    assert.equal(body.samples.length, 2);
    assert.ok(!JSON.stringify(body).includes('4111'));
  });
});
