import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { changeRun, getRun } from '../../../shared/replay/run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, progressOf } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('an edit by the patch of a replay', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  const event = (body: string, columns = {}) =>
    anEvent(database(), { body: Buffer.from(body), payload: body, ...columns });
  const work = (runId: string) => workOnReplay(deps(), runId, { endsAt: Date.now() + 60_000 });
  const run = async (body: Record<string, unknown>) => {
    const { id } = await aRun(deps(), body);
    await work(id);
    return progressOf(database(), id);
  };
  const sent = () => target().received.map(({ body }) => body.toString());
  const toEuro = [{ op: 'replace', path: '/currency', value: 'EUR' }];
  const list = () =>
    database().sql<{ id: string; status: string; edited_from: string | null; body: string }>(
      `select id, status, edited_from, convert_from(body, 'UTF8') as body from dlq_events order by id`,
    );

  it('is made of every event that the patch fits, and the others are skipped with a reason', async () => {
    await event('{"currency": "USD", "total": 1.10}');
    await event('{"total": 2}');
    await event('USD', { payload: '"USD"', payload_encoding: 'text' });
    const { delivered, skipped } = await run({ patch: toEuro });
    assert.deepEqual([delivered, skipped, sent()], [1, 2, ['{"currency": "EUR", "total": 1.10}']]);
    const rows = await database().sql(
      `select reason, detail from dlq_run_events where outcome = 'skipped' order by position`,
    );
    assert.deepEqual(rows, [
      { reason: 'patch', detail: 'patch[0] (replace /currency): There is no /currency.' },
      { reason: 'patch', detail: 'Its payload is not JSON in UTF-8.' },
    ]);
    assert.deepEqual(
      (await list()).map(({ status }) => status),
      ['DISCARDED', 'PENDING', 'PENDING', 'SUCCEEDED'],
    );
  });

  it('leaves JSON in another charset, of which it would send other characters', async () => {
    const body = Buffer.from('{"name": "M\u00fcller", "currency": "USD"}', 'latin1');
    await event('{"name": "M\u00fcller", "currency": "USD"}', { body });
    assert.deepEqual(await run({ patch: toEuro }).then(({ skipped }) => [skipped, sent()]), [1, []]);
  });

  it('is made of an event that plain SQL inserted without a body', async () => {
    await event('', { body: null, payload: '{"currency": "USD"}' });
    await run({ patch: toEuro });
    assert.deepEqual(sent(), ['{"currency": "EUR"}']);
  });

  it('is not made of an event that the patch does not change', async () => {
    const id = await event('{"currency":"EUR"}');
    await run({ patch: toEuro });
    assert.deepEqual(await list(), [
      { id, status: 'SUCCEEDED', edited_from: null, body: '{"currency":"EUR"}' },
    ]);
  });

  it('is skipped if a character of the patch cannot be stored', async () => {
    await event('{"total": 2}');
    assert.equal((await run({ patch: [{ op: 'remove', path: '/a\u0000b' }] })).skipped, 1);
  });

  it('is made before the first delivery, once, also by several workers', async () => {
    for (let i = 0; i < 30; i++) await event(`{"currency":"USD","n":${i}}`);
    const { id } = await aRun(deps(), { patch: toEuro, pace: 'careful' });
    await Promise.all([work(id), work(id), work(id)]);
    const { editedTo, delivered } = await getRun(database().db, id);
    assert.deepEqual([editedTo, delivered, (await list()).length], [30, 1, 60]);
    await changeRun(database().db, 'resume', { runId: id, actor: 'ada', reason: null });
    await work(id);
    assert.equal((await progressOf(database(), id)).delivered, 30);
  });

  it('is not made of an event that changed since it was selected, and the run never sends it', async () => {
    const id = await event('{"currency":"USD"}');
    const { id: runId } = await aRun(deps(), { patch: toEuro });
    await database().sql('update dlq_events set failure_count = 2');
    await work(runId);
    await database().sql('update dlq_events set failure_count = 1');
    await work(runId);
    assert.deepEqual(sent(), []);
    assert.deepEqual(await database().sql('select event_id, reason from dlq_run_events'), [
      { event_id: id, reason: 'changed' },
    ]);
  });

  it('is not made by a run that was cancelled before', async () => {
    await event('{"currency":"USD"}');
    const { id: runId } = await aRun(deps(), { patch: toEuro });
    await changeRun(database().db, 'cancel', { runId, actor: 'ada', reason: null });
    await work(runId);
    assert.equal((await list()).length, 1);
  });

  for (const [which, request, change] of [
    ['has no patch', {}, ''],
    ['has ended', { patch: toEuro }, "update dlq_runs set ended_at = now(), stopped = 'a test'"],
    ['another worker has edited', { patch: toEuro }, 'update dlq_runs set edited_to = 1'],
  ] as const)
    it(`is not made by a worker that comes late to a run that ${which}`, async () => {
      const id = await event('{"currency":"USD"}');
      const { id: runId } = await aRun(deps(), request);
      await database().sql(change);
      const body = Buffer.from('{"currency":"EUR"}');
      await database().sql('select dlq_edit_run_events($1, 0, 1, $2, $3)', [runId, [id], [body]]);
      assert.equal((await list()).length, 1);
    });

  it('is not made again of an event that the run skips, and only by its own run', async () => {
    const id = await event('{"currency":"USD"}');
    const [{ id: other }, { id: runId }] = [
      await aRun(deps(), { patch: toEuro }),
      await aRun(deps(), { patch: toEuro }),
    ];
    await database().sql(
      `update dlq_run_events set outcome = 'skipped', settled_at = now() where run_id = $1`,
      [runId],
    );
    await database().sql('update dlq_runs set ended_at = null, stopped = null');
    const body = Buffer.from('{"currency":"EUR"}');
    await database().sql('select dlq_edit_run_events($1, 0, 1, $2, $3)', [runId, [id], [body]]);
    const edited = await database().sql('select edited_to from dlq_runs where id = $1', [other]);
    assert.deepEqual([(await list()).length, edited], [1, [{ edited_to: 0 }]]);
  });

  for (const [what, change, outcome] of [
    ['was delivered', "update dlq_events set status = 'SUCCEEDED'", 'skipped'],
    ['failed permanently', "update dlq_events set status = 'FAILED_PERMANENTLY'", 'waiting'],
  ] as const)
    it(`is ${outcome === 'skipped' ? 'not ' : ''}made of an event that ${what} since it was selected`, async () => {
      const id = await event('{"currency":"USD"}');
      const { id: runId } = await aRun(deps(), { patch: toEuro });
      await database().sql(change);
      const body = Buffer.from('{"currency":"EUR"}');
      await database().sql('select dlq_edit_run_events($1, 0, 1, $2, $3)', [runId, [id], [body]]);
      const rows = await database().sql('select event_id <> $1 as is_edited, outcome from dlq_run_events', [
        id,
      ]);
      assert.deepEqual(rows, [{ is_edited: outcome === 'waiting', outcome }]);
    });

  it('is not made of an event that fails at its consumer again at this moment', async () => {
    const id = await event('{"currency":"USD"}');
    const { id: runId } = await aRun(deps(), { patch: toEuro });
    const recapture = 'update dlq_events set failure_count = 2';
    await whileTransactionIsOpen(database().url, recapture, async (commit) => {
      const body = Buffer.from('{"currency":"EUR"}');
      const edit = 'select dlq_edit_run_events($1, 0, 1, $2, $3)';
      const editing = database().sql(edit, [runId, [id], [body]]);
      const isWaiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query = '${edit}'`;
      await waitUntil('it waits', async () => (await database().sql(isWaiting)).length > 0);
      await commit();
      await editing;
    });
    assert.equal((await list()).length, 1);
  });
});
