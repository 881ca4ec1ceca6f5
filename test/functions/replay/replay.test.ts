import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Problem } from '../../../shared/errors.ts';
import type { Replay } from '../../../shared/replay/replay-events.ts';
import { useApi } from '../../support/api.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('POST /replay', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const api = useApi(database, {
    get routes() {
      return [aRouteTo(target().url)];
    },
  });
  const replay = async (body: unknown) => (await api().post<Replay>('/', body)).body;
  const problemsOf = async (body: unknown) => {
    const { status, body: answer } = await api().post<{ problems: Problem[] }>('/', body);
    assert.equal(status, 400);
    return answer.problems.map(({ field, remedy }) => `${field}: ${remedy}`);
  };

  it('delivers the named events and returns the result of each', async () => {
    const id = await anEvent(database());
    const { status, body } = await api().post<Replay>('/', { ids: [id] });

    assert.deepEqual([status, body.events], [200, [{ id, result: 'delivered', status: 'SUCCEEDED' }]]);
  });

  it('accepts ids as text and as numbers, and delivers each once', async () => {
    const id = await anEvent(database());
    const { events } = await replay({ ids: [id, Number(id), id] });

    assert.deepEqual([events.length, target().received.length], [1, 1]);
  });

  it('reports all problems of a request and changes nothing', async () => {
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
    it(`reports the problem of ${JSON.stringify(body).slice(0, 40)}`, async () => {
      assert.deepEqual(await problemsOf(body), [problem]);
    });
  }

  for (const [body, type, status] of [
    ['', 'application/json', 400],
    ['{"ids": ["1"]', 'application/json', 400],
    ['{"ids": ["1"]}', 'text/plain', 415],
    ['{"ids": ["1"]}', 'application/octet-stream', 415],
  ] as const) {
    it(`rejects ${JSON.stringify(body)} as ${type}`, async () => {
      const response = await api().post('/', body, { 'content-type': type });

      assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.equal(response.status, status, JSON.stringify(response.body));
    });
  }

  it('rejects GET and names POST in Allow', async () => {
    const { status, headers } = await api().get('/');

    assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
  });
});
