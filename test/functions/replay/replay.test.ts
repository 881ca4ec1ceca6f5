import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Replay } from '../../../functions/replay/replay-events.ts';
import type { Problem } from '../../../shared/errors.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useFunction } from '../../support/framework.ts';
import { useHttpTarget } from '../../support/http-target.ts';

describe('the replay function', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().sql('truncate dlq_events, dlq_runs, dlq_run_workers cascade'));
  const replay = useFunction('replay', () => ({
    DATABASE_URL: database().url,
    LOCAL_CALLER: 'ann',
    ROUTES: JSON.stringify([{ target: { kind: 'http', url: target().url } }]),
  }));
  const send = (body: string, type = 'application/json') =>
    fetch(replay().url, { method: 'POST', headers: { 'content-type': type }, body });
  const post = (body: unknown) => send(JSON.stringify(body));
  const problemsOf = async (body: unknown) => {
    const response = await post(body);
    assert.equal(response.status, 400);
    const { problems } = (await response.json()) as { problems: Problem[] };
    return problems.map(({ field, remedy }) => `${field}: ${remedy}`);
  };

  it('delivers the events it is given and answers for each', async () => {
    const id = await anEvent(database());
    const response = await post({ ids: [id] });

    const { events } = (await response.json()) as Replay;
    assert.deepEqual([response.status, events], [200, [{ id, result: 'delivered', status: 'SUCCEEDED' }]]);
  });

  it('takes ids as text and as numbers, and each one once', async () => {
    const id = await anEvent(database());
    const response = await post({ ids: [id, Number(id), id] });

    const { events } = (await response.json()) as Replay;
    assert.deepEqual([events.length, target().received.length], [1, 1]);
  });

  it('lists everything that is wrong with a request and changes nothing', async () => {
    const id = await anEvent(database());

    const ids = [id, 'x', 0, true, 1.5, '9223372036854775808'];

    assert.deepEqual(await problemsOf({ ids, includeSucceded: true }), [
      'ids[1]: An id is a positive whole number.',
      'ids[2]: An id is a positive whole number.',
      'ids[3]: Give an id as text or as a whole number.',
      'ids[4]: Give a whole number, and one above 2^53 as text.',
      'ids[5]: An id is less than 2^63.',
      'includeSucceded: No such field: correct its name or remove it.',
    ]);
    const rows = await database().sql("select from dlq_events where status = 'PENDING'");
    assert.deepEqual([rows.length, (await database().sql('select from dlq_runs')).length], [1, 0]);
  });

  for (const [body, problem] of [
    [{}, 'ids: Required: add it.'],
    [{ ids: '1' }, 'ids: Give a list of event ids.'],
    [{ ids: [] }, 'ids: Name at least one event.'],
    [{ ids: [2 ** 53] }, 'ids[0]: Give a whole number, and one above 2^53 as text.'],
    [{ ids: Array.from({ length: 1001 }, (_, i) => i + 1) }, 'ids: Name at most 1000 events at a time.'],
    [{ ids: ['1'], includeSucceeded: 'yes' }, 'includeSucceeded: Use true or false.'],
  ] as const) {
    it(`says what is missing in ${JSON.stringify(body).slice(0, 40)}`, async () => {
      assert.deepEqual(await problemsOf(body), [problem]);
    });
  }

  for (const [body, type, status] of [
    ['', 'application/json', 400],
    ['{"ids": ["1"]', 'application/json', 400],
    ['{"ids": ["1"]}', 'text/plain', 415],
    ['{"ids": ["1"]}', 'application/octet-stream', 415],
  ] as const) {
    it(`refuses ${JSON.stringify(body)} as ${type}`, async () => {
      const response = await send(body, type);

      assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.equal(response.status, status, await response.text());
    });
  }

  it('refuses GET and says what to use', async () => {
    const response = await fetch(replay().url);

    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
  });
});
