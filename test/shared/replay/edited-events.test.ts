import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { ConflictError } from '../../../shared/errors.ts';
import { previewRun } from '../../../shared/replay/preview-run.ts';
import { changeRun } from '../../../shared/replay/run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { aCapture } from '../../support/captures.ts';
import { sumHours } from '../../support/counts.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, aRunRequest, progressOf } from '../../support/runs.ts';

describe('an edit', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = (ordered = false) => ({
    db: database().db,
    routes: [{ ...aRouteTo(target().url), ordered }],
    retry: retryConfig(),
  });
  const event = (body: string, columns = {}) =>
    anEvent(database(), { body: Buffer.from(body), payload: body, ...columns });
  const work = (runId: string) => workOnReplay(deps(), runId, { endsAt: Date.now() + 60_000 });
  const run = async (body: Record<string, unknown>) => {
    const { id } = await aRun(deps(), body);
    await work(id);
    return progressOf(database(), id);
  };
  const fail = (status = 503) => {
    target().answer = (_, response) => response.writeHead(status).end();
  };
  const sent = () => target().received.map(({ body }) => body.toString());
  const edit = (id: string, body = '{"a":2}') => ({ filter: { ids: [id] }, edit: { body } });
  const list = () =>
    database().sql<{ id: string; status: string; edited_from: string | null; body: string }>(
      `select id, status, edited_from, convert_from(body, 'UTF8') as body from dlq_events order by id`,
    );

  it('is a new event in place of the original, which keeps its message and is closed', async () => {
    const id = await event('{"a":1}', { headers: { 'x-tenant': '1' } });
    await run({ filter: { ids: [id] }, edit: { body: '{"a":2}', headers: { 'x-tenant': '2' } } });

    const [request] = target().received;
    assert.deepEqual([request?.body.toString(), request?.headers['x-tenant']], ['{"a":2}', '2']);
    const [original, edited] = await list();
    assert.deepEqual(original, { id, status: 'DISCARDED', edited_from: null, body: '{"a":1}' });
    assert.deepEqual(edited, { id: edited?.id, status: 'SUCCEEDED', edited_from: id, body: '{"a":2}' });
  });

  it('keeps its original out of later replays, also of discarded events', async () => {
    const id = await event('{"a":1}');
    await run(edit(id));
    const filter = { status: ['DISCARDED', 'SUCCEEDED'] };
    const preview = await previewRun({ ...deps(), costLimit: 0 }, aRunRequest({ dryRun: true, filter }));
    await run({ filter });
    assert.deepEqual(sent(), ['{"a":2}', '{"a":2}']);
    assert.deepEqual(
      preview.excluded.map(({ reason, events }) => [reason, events]),
      [['edited', 1]],
    );
  });

  it('has a token of its own, so that its consumer reports the edit and not the original', async () => {
    const id = await event('{"a":1}');
    await run(edit(id));
    const headers = { 'dlo-event-id': String(target().received[0]?.headers['dlo-event-id']) };
    assert.notEqual(headers['dlo-event-id'].split('.')[0], id);
  });

  it('is known by its own body, with the id of its message', async () => {
    const limits = { db: database().db, maxRecurrences: 10, repeatSeconds: 600 };
    const capture = aCapture({ body: Buffer.from('{"a":1}'), eventKey: 'id:1', deliveryId: '1' });
    const [stored] = await storeCaptures(limits, [capture]);
    await run(edit(stored?.id ?? ''));
    const again = { ...capture, body: Buffer.from('{"a":2}'), deliveryId: '2' };
    const [reported] = await storeCaptures(limits, [again]);
    const [, edited] = await list();
    assert.deepEqual([reported?.isNew, reported?.id, edited?.status], [false, edited?.id, 'PENDING']);
  });

  it('of headers alone has the later failures that its consumer reports without a token', async () => {
    const limits = { db: database().db, repeatSeconds: 600 };
    const capture = aCapture({ eventKey: 'id:1', headers: { tenant: '1' } });
    const [stored] = await storeCaptures(limits, [capture]);
    await run({ filter: { ids: [stored?.id] }, edit: { headers: { tenant: '2' } } });
    const [reported] = await storeCaptures(limits, [{ ...capture, origin: 'report' }]);
    const [original, edited] = await list();
    assert.deepEqual([original?.status, edited?.status, edited?.id], ['DISCARDED', 'PENDING', reported?.id]);
  });

  it('sends an edited body without the content encoding of the original one', async () => {
    const id = await event('{}', { headers: { 'content-encoding': 'gzip', 'x-tenant': '1' } });
    await run(edit(id));
    const [request] = target().received;
    assert.deepEqual([request?.headers['content-encoding'], request?.headers['x-tenant']], [undefined, '1']);
  });

  for (const [charset, body] of [
    ['utf-8', 'テスト'],
    ['Shift_JIS', { base64: 'g2WDWIN0' }],
  ] as const)
    it(`of a text in Shift_JIS is sent as ${charset} if it is that`, async () => {
      const columns = { content_type: 'text/plain; charset=Shift_JIS', payload_encoding: 'text' };
      const id = await event('""', columns);
      await run({ filter: { ids: [id] }, edit: { body } });
      assert.equal(target().received[0]?.headers['content-type'], `text/plain; charset=${charset}`);
    });

  it('sends the original body with edited headers alone', async () => {
    const id = await event('{"a":1}');
    await run({ filter: { ids: [id] }, edit: { headers: { 'x-tenant': ['1', '2'] } } });
    const [request] = target().received;
    assert.deepEqual([request?.body.toString(), request?.headers['x-tenant']], ['{"a":1}', '1, 2']);
  });

  it('may have bytes that are no text, and JSON that jsonb cannot hold', async () => {
    const [id, other] = [
      await event('text', { payload: '"text"', payload_encoding: 'text' }),
      await event('{}'),
    ];
    await run({ filter: { ids: [id] }, edit: { body: { base64: '/wA=' } } });
    await run({ filter: { ids: [other] }, edit: { body: '{"a":"\\u0000"}' } });
    assert.deepEqual(
      target().received.map(({ body }) => body.toString('latin1')),
      ['\u00ff\u0000', '{"a":"\\u0000"}'],
    );
  });

  it('that fails is an event like any other: the schedule retries it', async () => {
    fail();
    await run(edit(await event('{"a":1}')));
    assert.deepEqual(
      (await list()).map(({ status }) => status),
      ['DISCARDED', 'PENDING'],
    );
    await database().sql('update dlq_events set retry_after = now()');
    target().answer = (_, response) => response.end();
    await runTick(deps());
    assert.deepEqual(sent(), ['{"a":2}', '{"a":2}']);
  });

  it('can be edited again, in place of the same captured event', async () => {
    const id = await event('{"a":1}');
    fail(422);
    await run(edit(id));
    const [, first] = await list();
    target().answer = (_, response) => response.end();
    await run(edit(first?.id ?? '', '{"a":3}'));
    assert.deepEqual(
      (await list()).map((each) => [each.status, each.edited_from]),
      [
        ['DISCARDED', null],
        ['DISCARDED', id],
        ['SUCCEEDED', id],
      ],
    );
  });

  it('goes before the later events of its key', async () => {
    const columns = { source_key: 'k' };
    const id = await event('{"a":1}', columns);
    await event('{"a":9}', columns);
    const run = await aRun(deps(true), edit(id));
    await changeRun(database().db, 'pause', { runId: run.id, actor: 'ada', reason: null });
    await runTick(deps(true));
    assert.deepEqual(sent(), ['{"a":2}', '{"a":9}']);
  });

  it('waits for a person like its original, however its run ends', async () => {
    const id = await event('{"a":1}', { status: 'FAILED_PERMANENTLY' });
    const { id: runId } = await aRun(deps(), edit(id));
    await changeRun(database().db, 'cancel', { runId, actor: 'ada', reason: null });
    await runTick(deps());
    assert.deepEqual(
      [sent(), (await list()).map(({ status }) => status)],
      [[], ['DISCARDED', 'FAILED_PERMANENTLY']],
    );
  });

  it('is not made while a worker delivers the event', async () => {
    const lease_expires_at = new Date(Date.now() + 600_000);
    const id = await event('{"a":1}', {
      status: 'PROCESSING',
      lease_token: crypto.randomUUID(),
      lease_expires_at,
    });
    assert.equal((await aRun(deps(), edit(id))).selected, 0);
    assert.equal((await list()).length, 1);
  });

  it('of an event that is leased at this moment is rejected, and creates no run', async () => {
    const id = await event('{"a":1}');
    const lease = `update dlq_events set status = 'PROCESSING', lease_token = gen_random_uuid(),
      lease_expires_at = now() + interval '1 hour'`;
    // Leased between the estimate and the edit.
    const db = {
      ...database().db,
      query: async (query: Parameters<ReturnType<typeof deps>['db']['query']>[0]) => {
        if (query.text.includes('dlq_edit_events')) await database().sql(lease);
        return database().db.query(query);
      },
    } as ReturnType<typeof deps>['db'];
    await assert.rejects(aRun({ ...deps(), db }, edit(id)), ConflictError);
    for (const table of ['dlq_runs', 'dlq_audit'])
      assert.deepEqual(await database().sql(`select id from ${table}`), []);
  });

  it('is made once for an idempotency key', async () => {
    const request = { ...edit(await event('{"a":1}')), key: 'k' };
    const runs = [await aRun(deps(), request), await aRun(deps(), request)];
    assert.deepEqual([runs[0]?.id, (await list()).length], [runs[1]?.id, 2]);
  });

  it('is made once for an idempotency key, also by two requests at once', async () => {
    const id = await event('{"a":1}', { status: 'SUCCEEDED' });
    const request = { ...edit(id), filter: { ids: [id], status: ['SUCCEEDED'] }, key: 'k' };
    const runs = await Promise.all([aRun(deps(), request), aRun(deps(), request)]);
    const made = (await list()).map(({ status }) => status);
    assert.deepEqual([runs[0]?.id, made], [runs[1]?.id, ['SUCCEEDED', 'FAILED_PERMANENTLY']]);
  });

  it('counts as no capture, discard or failure', async () => {
    const id = await event('{"a":1}', { status: 'FAILED_PERMANENTLY' });
    const before = await sumHours(database());
    await aRun(deps(), edit(id));
    assert.deepEqual(await sumHours(database()), before);
  });

  it('names both events in the audit, with the reason', async () => {
    const id = await event('{"a":1}');
    await aRun(deps(), { ...edit(id), reason: 'a decimal comma' });
    const rows = await database().sql(
      `select actor, action, reason, changed.event_id, changed.status from dlq_audit
       join dlq_audit_events as changed on audit_id = dlq_audit.id order by changed.event_id`,
    );
    const entry = { actor: 'ada', action: 'edit', reason: 'a decimal comma' };
    assert.deepEqual(rows, [
      { ...entry, event_id: id, status: 'PENDING' },
      { ...entry, event_id: (await list())[1]?.id, status: null },
    ]);
  });
});
