import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Problem } from '../../../../shared/errors.ts';
import type { RunEventView } from '../../../../shared/replay/list-run-events.ts';
import type { Preview } from '../../../../shared/replay/preview-run.ts';
import type { showRun } from '../../../../shared/replay/show-run.ts';
import { workOnReplay } from '../../../../shared/replay/work-on-replay.ts';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';
import { anEvent, manyEvents } from '../../../support/factories.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../../support/routes.ts';

type Detail = Awaited<ReturnType<typeof showRun>>;
type Page<Item> = { readonly items: readonly Item[]; readonly next: string | null };

describe('the runs of the API', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const api = useApi(database, {
    get routes() {
      return [aRouteTo(target().url)];
    },
  });
  const pending = { filter: { status: 'PENDING' }, reason: 'payments are back' };
  const create = async (body: object = {}) =>
    (await api().post<Detail>('/runs', { ...pending, ...body })).body;
  const work = (id: string) => {
    const deps = { db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() };
    return workOnReplay(deps, id, { endsAt: Date.now() + 60_000 });
  };
  const remediesOf = async (body: unknown) => {
    const { status, body: answer } = await api().post<{ problems: Problem[] }>('/runs', body);
    assert.equal(status, 400);
    return answer.problems.map(({ field, remedy }) => `${field}: ${remedy}`);
  };

  it('are previewed without a change', async () => {
    await manyEvents(database(), 3);
    await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    const { status, body } = await api().post<Preview>('/runs', { ...pending, dryRun: true });
    assert.deepEqual([status, body.selected, body.samples.length], [200, 3, 3]);
    assert.deepEqual(await database().sql('select from dlq_runs'), []);
  });

  it('are created at once, and deliver when a worker works on them', async () => {
    await manyEvents(database(), 3);
    const { status, headers, body } = await api().post<Detail>('/runs', pending);
    assert.deepEqual([status, headers.get('location'), body.state], [201, `runs/${body.id}`, 'running']);
    assert.deepEqual([body.requestedBy, body.reason], ['local:ann', 'payments are back']);

    assert.equal(await work(body.id), 'ended');
    const { progress } = (await api().get<Detail>(`/runs/${body.id}`)).body;
    assert.deepEqual([progress.delivered, target().received.length], [3, 3]);
  });

  it('are previewed again, in the response, if other events match than at their preview', async () => {
    const filter = { ids: [await anEvent(database()), await anEvent(database())] };
    const preview = await api().post<{ selection: string }>('/runs', { filter, dryRun: true });
    await database().sql(`update dlq_events set status = 'DISCARDED', processed_at = now() where id = $1`, [
      filter.ids[0],
    ]);
    const request = { filter, selection: preview.body.selection, reason: 'x' };
    const { status, body } = await api().post<Record<string, unknown>>('/runs', request);

    const { selected, excluded } = body.preview as { selected: number; excluded: { reason: string }[] };
    assert.deepEqual([status, body.code, body.previewed, selected], [409, 'SELECTION_CHANGED', 2, 1]);
    assert.deepEqual(
      excluded.map(({ reason }) => reason),
      ['discarded'],
    );
  });

  it('are created once for an idempotency key', async () => {
    await manyEvents(database(), 3);
    const send = (body: object) => api().post<Detail>('/runs', body, { 'idempotency-key': 'k-1' });
    const first = await send(pending);
    const again = await send(pending);
    assert.deepEqual([first.status, again.status, again.body.id], [201, 200, first.body.id]);
    assert.equal((await send({ ...pending, pace: 'careful' })).status, 409);
  });

  it('have their progress, and are listed newest first', async () => {
    await manyEvents(database(), 2);
    const ids = [(await create()).id, (await create()).id, (await create()).id];
    const first = (await api().get<Page<Detail>>('/runs?limit=2')).body;
    const second = (await api().get<Page<Detail>>(`/runs?limit=2&cursor=${first.next}`)).body;
    assert.deepEqual(
      [...first.items, ...second.items].map(({ id }) => id),
      ids.toReversed(),
    );
    assert.equal((await api().get<Detail>(`/runs/${ids[0]}`)).body.progress.waiting, 2);
  });

  it('list their events in pages and by outcome', async () => {
    await manyEvents(database(), 5);
    target().answer = (request, response) =>
      response.writeHead(request.body.toString().includes('3') ? 422 : 200).end('no');
    const { id } = await create();
    await work(id);
    const first = (await api().get<Page<RunEventView>>(`/runs/${id}/events?limit=3`)).body;
    const second = (await api().get<Page<RunEventView>>(`/runs/${id}/events?limit=3&cursor=${first.next}`))
      .body;
    assert.deepEqual([first.items.length, second.items.length, second.next], [3, 2, null]);

    const failed = (await api().get<Page<RunEventView>>(`/runs/${id}/events?outcome=failed`)).body.items;
    const reasons = failed.map(({ reason, explanation, status }) => [reason, explanation, status]);
    assert.deepEqual(reasons, [['permanent', 'HTTP 422: no', 'FAILED_PERMANENTLY']]);
  });

  it('are paused, resumed and cancelled, and the audit has each action', async () => {
    await manyEvents(database(), 2);
    const { id } = await create();
    const change = async (what: string) =>
      (await api().post<Detail>(`/runs/${id}/${what}`, { reason: 'too fast' })).body;
    const paused = await change('pause');
    assert.deepEqual([paused.state, paused.pausedBecause], ['paused', 'By local:ann: too fast']);
    assert.equal(await work(id), 'paused');
    assert.equal((await change('resume')).state, 'running');
    assert.deepEqual([(await change('cancel')).stopped, target().received.length], ['cancelled', 0]);
    const audit = (await api().get<Page<{ action: string }>>(`/audit?run=${id}`)).body.items;
    assert.deepEqual(
      audit.map(({ action }) => action),
      ['cancel run', 'resume run', 'pause run', 'create run'],
    );
  });

  it('are cancelled once, without a body', async () => {
    await manyEvents(database(), 1);
    const { id } = await create();
    assert.equal((await api().post(`/runs/${id}/cancel`)).status, 200);
    assert.equal((await api().post(`/runs/${id}/cancel`)).status, 200);
    assert.equal((await api().post(`/runs/${id}/pause`)).status, 409);
  });

  it('patch an event with every digit', async () => {
    const body = '{"id": 9007199254740993, "currency": "USD"}';
    await anEvent(database(), { body: Buffer.from(body), payload: body });
    // As text, because JSON.stringify would round it as well.
    const patch =
      '[{"op":"replace","path":"/currency","value":"EUR"},{"op":"add","path":"/n","value":9007199254740995}]';
    const { body: run } = await api().post<Detail>(
      '/runs',
      `{"filter":{"status":"PENDING"},"reason":"x","patch":${patch}}`,
    );
    const after = '{"id": 9007199254740993, "currency": "EUR","n":9007199254740995}';
    await work(run.id);
    assert.deepEqual(
      target().received.map((each) => each.body.toString()),
      [after],
    );
  });

  it('are rejected with all problems of the request', async () => {
    const edit = { body: 'x' };
    const wrong = {
      filter: {},
      ratePerSecond: 0,
      patch: [{ op: 'add', path: 'a' }],
      edit,
      pace: 'slow',
      ids: [1],
    };
    assert.deepEqual(await remediesOf(wrong), [
      'filter: Name at least one condition: a filter without any matches every event.',
      'patch[0].path: Must be a JSON Pointer, such as "/items/0/sku": write ~ as ~0, and / within a name as ~1.',
      'patch[0].value: Required: add it.',
      'pace: Use one of careful, normal, gentle, fast, ungated.',
      'ratePerSecond: Use a number from 0.00001 to 100000.',
      'ids: No such field: correct its name or remove it.',
    ]);
  });

  for (const [body, remedy] of [
    [{ filter: { status: 'PENDING' } }, 'reason: Give a reason: the audit records it.'],
    [{ ...pending, edit: { body: '{}' } }, 'filter.ids: An edit applies to one event: give exactly one id.'],
    [
      { ...pending, target: 'http://elsewhere/' },
      /^target: Must be the target of a configured route: http:\/\/127/,
    ],
  ] as const) {
    it(`are rejected with a remedy: ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const [problem = ''] = await remediesOf(body);
      if (typeof remedy === 'string') assert.equal(problem, remedy);
      else assert.match(problem, remedy);
    });
  }

  it('are not found under an unknown or malformed id', async () => {
    for (const path of ['runs/77', 'runs/77/events', 'runs/77/events/1']) {
      assert.equal((await api().get(`/${path}`)).status, 404);
    }
    assert.equal((await api().post('/runs/77/pause')).status, 404);
    assert.equal((await api().get('/runs/x')).status, 400);
  });
});
