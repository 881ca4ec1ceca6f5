import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Operation } from '../../../../functions/replay/api/operation.ts';
import { routes } from '../../../../functions/replay/replay.ts';
import { actions } from '../../../../shared/events/actions/actions.ts';
import { refresh } from '../../../../shared/groups/refresh-groups.ts';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';
import { exampleInputs } from '../../../support/example-inputs.ts';
import { anEvent } from '../../../support/factories.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { usePubSubTarget } from '../../../support/pubsub-target.ts';
import { aRouteTo, retryConfig } from '../../../support/routes.ts';

const folder = path.resolve(import.meta.dirname, '../../../../functions/replay');

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
};

describe('every operation of the API', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const pubsub = usePubSubTarget();
  const api = useApi(database, {
    retry: {
      ...retryConfig(),
      get continueTopic() {
        return pubsub().topic;
      },
    },
    get routes() {
      return [aRouteTo(target().url)];
    },
  });

  type Succeed = (answer: Promise<{ status: number; body: unknown }>) => Promise<unknown>;

  const useGroups = async (succeed: Succeed) => {
    const { get, post } = api();
    const [group, into] = ['v2:one', 'v2:two'];
    for (const each of [group, into]) await anEvent(database(), { fingerprint: each });
    await refresh(database().db);
    for (const path of ['/groups', `/groups/${group}`]) await succeed(get(path));
    await succeed(post('/groups/change', { fingerprints: [group], change: { state: 'ACKNOWLEDGED' } }));
    await succeed(post(`/groups/${group}/merge`, { into, reason: 'a test' }));
    await succeed(post(`/groups/${group}/split`, { reason: 'a test' }));
    await succeed(get(`/groups/${group}/split?field=words&value=x`));
  };

  const useActions = async (succeed: Succeed, ids: readonly string[]) => {
    for (const action of actions)
      for (const dryRun of [true, false]) {
        const body = { filter: { ids }, reason: 'a test', ...exampleInputs(action), dryRun };
        await succeed(api().post(`/events/${action.name}`, body));
      }
  };

  it('answers as the OpenAPI document describes, whether it succeeds or fails', async () => {
    const { get, post } = api();
    const succeed = async (answer: Promise<{ status: number; body: unknown }>) => {
      const { status, body } = await answer;
      assert.ok(status < 300, JSON.stringify(body));
      return body as { readonly id: string };
    };
    const [id, other] = [await anEvent(database()), await anEvent(database())];
    const create = (more = {}) =>
      succeed(post('/runs', { filter: { ids: [id] }, reason: 'a test', ...more }));
    await create({ dryRun: true });
    const { id: run } = await create({ edit: { body: '{}' } });
    for (const path of ['pause', 'resume']) await succeed(post(`/runs/${run}/${path}`));
    const { id: cancelled } = await create({ filter: { ids: [other] } });
    await succeed(post(`/runs/${cancelled}/cancel`));
    for (const path of [
      '/runs',
      `/runs/${run}`,
      `/runs/${run}/events`,
      '/events',
      '/events/export?format=csv',
      `/events/${id}`,
      `/events/${id}/attempts`,
      `/events/${id}/message`,
      '/filter?q=type:order.*',
      '/audit',
    ])
      await succeed(get(path));
    await succeed(post('/events/import', { lines: ['{"orderId": 1}'], key: 'a', reason: 'a test' }));
    await useActions(succeed, [other]);
    const [edit] = (await get<{ items: { id: string }[] }>('/audit?action=edit')).body.items;
    await succeed(post(`/audit/${edit?.id}/undo`, { reason: 'a test', dryRun: true }));
    await succeed(post('/events/restore', { ids: [id], reason: 'a test' }));

    for (const path of ['/schedule']) await succeed(get(path));
    await succeed(post('/schedule/run', { reason: 'a test' }));
    await succeed(get('/incidents'));
    const mutedUntil = new Date(Date.now() + 60_000).toISOString();
    await succeed(
      post('/groups/change', { fingerprints: ['v2:unknown'], change: { state: 'MUTED', mutedUntil } }),
    );
    await useGroups(succeed);
    const name = encodeURIComponent(target().url);
    for (const path of ['/targets', `/targets/${name}`]) await succeed(get(path));
    await anEvent(database());
    await succeed(post('/stop', { reason: 'a test' }));
    const [stop] = (await get<{ items: { id: string }[] }>('/audit?action=stop')).body.items;
    await succeed(post(`/audit/${stop?.id}/undo`, { reason: 'a test' }));
    for (const path of ['hold', 'release', 'probe']) {
      await succeed(post(`/targets/${name}/${path}`, { reason: 'a test' }));
    }

    const document = (await (await fetch(`${api().url}/openapi.json`)).json()) as Document;
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
    );
    for (const { path, method } of operations) {
      const wrong = path.replaceAll(/\{\w+\}/g, 'x');
      const { status } = await (method === 'get' ? get(`${wrong}?unknown=1`) : post(wrong, { unknown: 1 }));
      assert.equal(status, 400, wrong);
    }

    const expected = operations.flatMap(({ operationId }) => [
      `${operationId} succeeded`,
      `${operationId} failed`,
    ]);
    assert.deepEqual([...api().compared].sort(), expected.sort());
  });

  it('has a path', async () => {
    const routed = new Set(await Promise.all(routes.map(([, , , load]) => load())));
    for (const file of globSync(path.join(folder, '*.ts')))
      for (const [name, exported] of Object.entries(await import(file)))
        if (name.endsWith('Operation')) assert.ok(routed.has(exported as Operation), name);
  });
});
