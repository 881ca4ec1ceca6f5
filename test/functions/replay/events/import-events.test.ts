import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';

type Imported = {
  readonly items: readonly { readonly id: string; readonly isNew: boolean; readonly unread?: string }[];
};

describe('an import by the API', () => {
  const database = useDatabase();
  const api = useApi(database);
  const report = JSON.stringify({
    eventType: 'order.created',
    eventId: 'evt-1',
    payload: { total: 42.5 },
    error: { message: 'no stock' },
  });
  const importLines = async (...lines: string[]) => {
    const { body } = await api().post<Imported>('/events/import', { lines, key: 'a file', reason: 'moved' });
    return body.items;
  };

  it('captures each line as capture reads it', async () => {
    await database().clear();
    const items = await importLines(report, '{"some": "message"}');
    assert.deepEqual(
      items.map(({ isNew }) => isNew),
      [true, true],
    );
    const rows = await database().sql(
      'select event_type, error_reason from dlq_events where id = any($1) order by id',
      [items.map(({ id }) => id)],
    );
    assert.deepEqual(rows[0], { event_type: 'order.created', error_reason: 'no stock' });
  });

  it('rejects a line without an event of its own, which would shift the answers of the others', async () => {
    for (const line of ['', ' ', '\r', '1\n2']) {
      const body = { lines: [report, line, report], key: 'k', reason: 'moved' };
      const { status, body: problem } = await api().post<{ detail: string }>('/events/import', body);
      assert.deepEqual([status, problem.detail], [400, 'The request is invalid. Nothing was changed.']);
    }
  });

  it('has an event for each line, also if the first one looks like an action of Elasticsearch', async () => {
    await database().clear();
    const lines = ['{"index":{"_index":"orders","_id":"1"}}', '[1, 2]', report];
    await importLines(...lines);
    const [row] = await database().sql('select count(*)::int as events from dlq_events');
    assert.equal(row?.events, lines.length);
  });

  it('takes from 1 to 1000 lines', async () => {
    for (const count of [0, 1001]) {
      const body = { lines: Array<string>(count).fill(report), key: 'k', reason: 'moved' };
      assert.equal((await api().post('/events/import', body)).status, 400);
    }
  });

  it('changes nothing if the same lines are sent again', async () => {
    await database().clear();
    const [first] = await importLines(report, '{"some": "message"}');
    const again = await importLines(report, '{"some": "message"}');
    assert.deepEqual(
      again.map(({ isNew }) => isNew),
      [false, false],
    );
    assert.equal(again[0]?.id, first?.id);
  });

  it('is recorded in the audit with its reason and its outcome', async () => {
    await database().clear();
    for (const _ of ['new', 'known']) await importLines(report);
    const { body } = await api().get<{ items: readonly object[] }>('/audit?action=import');
    const [known, { actor, reason, details, outcome }] = body.items as Record<string, unknown>[] as [
      Record<string, unknown>,
      Record<string, unknown>,
    ];
    assert.deepEqual(known.outcome, { changed: 0 });
    assert.deepEqual(
      { actor, reason, details, outcome },
      {
        actor: 'local:ann',
        reason: 'moved',
        details: { key: 'a file', lines: 1 },
        outcome: { changed: 1 },
      },
    );
  });
});
