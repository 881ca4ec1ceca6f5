import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { listEventAttempts } from '../../../shared/events/list-events.ts';
import { listRuns } from '../../../shared/replay/list-runs.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, progressOf } from '../../support/runs.ts';

describe('a run with an edit or a patch', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  const event = (body: string, columns = {}) =>
    anEvent(database(), { body: Buffer.from(body), status: 'FAILED_PERMANENTLY', ...columns });
  const run = async (body: Record<string, unknown>) => {
    const { id } = await aRun(deps(), body);
    await workOnReplay(deps(), id, { endsAt: Date.now() + 60_000 });
    return progressOf(database(), id);
  };
  const toEuro = [{ op: 'replace', path: '/currency', value: 'EUR' }];

  it('sends the edited body and headers, and the event keeps its own', async () => {
    const id = await event('{"a":1}', { headers: { 'x-tenant': '1' } });
    await run({ filter: { ids: [id] }, edit: { body: '{"a":2}', headers: { 'x-tenant': '2' } } });

    const [sent] = target().received;
    assert.deepEqual([sent?.body.toString(), sent?.headers['x-tenant']], ['{"a":2}', '2']);
    const [kept] = await database().sql(
      "select convert_from(body, 'UTF8') as body, headers, status from dlq_events",
    );
    assert.deepEqual(kept, { body: '{"a":1}', headers: { 'x-tenant': '1' }, status: 'SUCCEEDED' });
  });

  it('sends an edited body without the content encoding of the original one', async () => {
    const id = await event('no gzip', { headers: { 'content-encoding': 'gzip', 'x-tenant': '1' } });
    await run({ filter: { ids: [id] }, edit: { body: '{"a":2}' } });

    const [sent] = target().received;
    assert.deepEqual([sent?.headers['content-encoding'], sent?.headers['x-tenant']], [undefined, '1']);
  });

  it('skips an event to which a patch with a character does not apply that PostgreSQL cannot store', async () => {
    await event('{"total": 2}');
    const { skipped } = await run({ patch: [{ op: 'remove', path: '/a\u0000b' }] });
    assert.equal(skipped, 1);
  });

  it('sends the original body with edited headers alone', async () => {
    const id = await event('{"a":1}');
    await run({ filter: { ids: [id] }, edit: { headers: { 'x-tenant': ['1', '2'] } } });
    const [sent] = target().received;
    assert.deepEqual([sent?.body.toString(), sent?.headers['x-tenant']], ['{"a":1}', '1, 2']);
  });

  it('patches every event to which the patch applies, and skips the others with a reason', async () => {
    await event('{"currency": "USD", "total": 1.10}');
    await event('{"total": 2}');
    await event('USD', { payload: '"USD"', payload_encoding: 'text' });
    const { delivered, skipped } = await run({ patch: toEuro });

    assert.deepEqual([delivered, skipped], [1, 2]);
    assert.deepEqual(
      target().received.map(({ body }) => body.toString()),
      ['{"currency": "EUR", "total": 1.10}'],
    );
    const rows = await database().sql(
      `select reason, detail, status from dlq_run_events where outcome = 'skipped' order by position`,
    );
    const status = 'FAILED_PERMANENTLY';
    assert.deepEqual(rows, [
      { reason: 'patch', detail: 'patch[0] (replace /currency): There is no /currency.', status },
      { reason: 'patch', detail: 'Its payload is not JSON.', status },
    ]);
  });

  it('patches an event that plain SQL inserted without a body', async () => {
    await event('', { body: null, payload: '{"currency": "USD"}' });
    await run({ patch: toEuro });
    assert.deepEqual(
      target().received.map(({ body }) => body.toString()),
      ['{"currency": "EUR"}'],
    );
  });

  it('restores an event whose edited delivery failed: the schedule would send the original', async () => {
    target().answer = (_, response) => response.writeHead(503).end();
    await event('{"currency": "USD"}');
    const { failed } = await run({ patch: toEuro });
    const [row] = await database().sql('select status, retry_count, error_reason from dlq_events');
    const restored = { status: 'FAILED_PERMANENTLY', retry_count: 0, error_reason: 'timeout' };
    assert.deepEqual([failed, row], [1, restored]);
    const attempts = await database().sql('select number, outcome, response_status from dlq_attempts');
    assert.deepEqual(attempts, [{ number: 1, outcome: 'transient', response_status: 503 }]);
  });

  it('says on its attempts and the event that the message was edited', async () => {
    const id = await event('{"currency": "USD"}');
    await run({ patch: toEuro });
    await run({ includeSucceeded: true });
    const attempts = await listEventAttempts(database().db, { eventId: id, before: maxBigint, max: 9 });
    const runs = await listRuns({ db: database().db, routes: [] }, { limit: 9 });
    assert.deepEqual(
      [attempts.map(({ edited }) => edited), runs.map(({ edited }) => edited)],
      [
        [false, true],
        [false, true],
      ],
    );
  });

  it('stores the digest of an edited body', async () => {
    await event('{"currency": "USD"}');
    await run({ patch: toEuro });
    const [row] = await database().sql<{ sent_digest: Buffer }>('select sent_digest from dlq_run_events');
    const digest = createHash('sha256').update('{"currency": "EUR"}').digest('hex');
    assert.equal(row?.sent_digest.toString('hex'), digest);
  });
});
