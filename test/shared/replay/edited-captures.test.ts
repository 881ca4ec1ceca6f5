import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { discard } from '../../../shared/events/actions/actions.ts';
import { runAction } from '../../../shared/events/actions/run-action.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, progressOf } from '../../support/runs.ts';

describe('an edit, whatever its original is,', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  const event = (body: string) => anEvent(database(), { body: Buffer.from(body), payload: body });
  const run = async (body: Record<string, unknown>) => {
    const { id } = await aRun(deps(), body);
    await workOnReplay(deps(), id, { endsAt: Date.now() + 60_000 });
    return progressOf(database(), id);
  };
  const edit = (id: string, body = '{"a":2}') => ({ filter: { ids: [id] }, edit: { body } });
  const list = () =>
    database().sql<{ id: string; body: string }>(
      `select id, convert_from(body, 'UTF8') as body from dlq_events order by id`,
    );

  it('is made of an event whose worker has disappeared', async () => {
    const id = await event('{"a":1}');
    await database().sql("update dlq_events set status = 'PROCESSING', lease_expires_at = now()");
    assert.equal((await run(edit(id))).delivered, 1);
  });

  it('keeps its bytes when its message comes in other ones, although only a report told the original', async () => {
    const limits = { db: database().db, repeatSeconds: 600 };
    const report = aCapture({ body: Buffer.from('{"a":1}'), origin: 'report' });
    const [stored] = await storeCaptures(limits, [report]);
    await aRun(deps(), edit(stored?.id ?? ''));
    await storeCaptures(limits, [aCapture({ body: Buffer.from('{ "a" : 2 }') })]);
    assert.equal((await list())[1]?.body, '{"a":2}');
  });

  it('is made of an event whose bytes follow from its payload', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = Buffer.from(JSON.stringify({ a: 1, text: 'x'.repeat(500) }));
    const captures = readCaptures({ path: '/', query: new URLSearchParams(), headers, body });
    const [stored] = await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
    assert.equal((await list())[0]?.body, null);
    assert.equal((await run(edit(stored?.id ?? ''))).delivered, 1);
  });

  it('has a key as long as that of the edit that it replaces', async () => {
    const id = await event('{"a":1}');
    await aRun(deps(), edit(id));
    await aRun(deps(), edit((await list())[1]?.id ?? '', '{"a":3}'));
    const keys = await database().sql('select length(event_key) from dlq_events where edited_from = $1', [
      id,
    ]);
    assert.deepEqual(keys[0], keys[1]);
  });

  for (const [body, payload, encoding] of [
    ['{"a":2}', '{"a": 2}', 'json'],
    ['2', '"2"', 'text'],
    [{ base64: '/wA=' }, '"/wA="', 'base64'],
  ] as const)
    it(`shows its own message in the payload: ${encoding}`, async () => {
      const original = encoding === 'json' ? {} : { payload: '"one"', payload_encoding: 'text' };
      const id = await anEvent(database(), { body: Buffer.from('{"a":1}'), payload: '{"a":1}', ...original });
      await aRun(deps(), { filter: { ids: [id] }, edit: { body } });
      const edits = 'select payload::text, payload_encoding from dlq_events where edited_from = $1';
      assert.deepEqual(await database().sql(edits, [id]), [{ payload, payload_encoding: encoding }]);
    });

  it('of headers alone keeps the message, its charset and how its JSON is printed', async () => {
    const columns = { payload: '{"a": 1}', printed_as: '.compact', content_type: 'text/x; charset=latin1' };
    const id = await anEvent(database(), { ...columns, body: null });
    await aRun(deps(), { filter: { ids: [id] }, edit: { headers: { 'content-encoding': 'identity' } } });
    const kept = `select payload::text, body, payload_encoding, printed_as, content_type, is_exact, headers
      from dlq_events order by id`;
    const [original, edited] = await database().sql(kept);
    assert.deepEqual(edited, { ...original, headers: { 'content-encoding': 'identity' } });
  });

  it('is made of a discarded event, whatever other edits there are', async () => {
    await aRun(deps(), edit(await event('{"a":1}')));
    const id = await event('{"a":1}');
    const change = { body: { filter: { ids: [id] }, reason: 'a test' }, actor: 'ada', now: new Date() };
    await runAction({ db: database().db, costLimit: 0 }, discard.read(change).action);
    assert.equal((await run({ ...edit(id), filter: { ids: [id], status: ['DISCARDED'] } })).delivered, 1);
  });
});
