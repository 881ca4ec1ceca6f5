import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useApi } from '../../support/api.ts';
import { useCapture } from '../../support/capture.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('what a consumer says in headers', () => {
  const database = useDatabase();
  const capture = useCapture(database);
  const policy = { maxAge: '50h' };
  const served = useConsole(database, { routes: [aRouteTo('http://127.0.0.1/', { policy })] });
  const api = useApi(database);
  const post = async (headers: Record<string, string>) => {
    const answer = await fetch(capture().url, { method: 'POST', headers, body: 'any text' });
    const { events } = (await answer.json()) as { events: { id: string; ignored?: string[] }[] };
    return { id: '', ...events[0] };
  };
  const pageOf = async (id: string) =>
    (await (await fetch(`${served().url}/events/${id}`)).text()).replaceAll(/<[^>]*>|\s+/g, ' ');

  it('is on the page of the event, and in the API', async () => {
    const { id, ignored } = await post({
      'dlo-event-type': 'order.created',
      'dlo-error-reason': 'Kunde fehlt: %E2%82%AC',
      'dlo-error-kind': 'permanent',
      'dlo-retry-after': '120',
      'dlo-max-retries': '3',
      'dlo-priority': '-5',
      'dlo-speed': 'high',
    });
    assert.deepEqual(ignored, ['dlo-speed']);

    const page = await pageOf(id);
    assert.match(page, /Kunde fehlt: €/);
    assert.match(page, /Latest failure\s+permanent/);
    assert.match(page, /Consumer decided\s+kind permanent, priority -5, maxRetries 3, retryAfter 120/);
    assert.match(page, /Ignored\s+dlo-speed/);

    const { event } = (await api().get<{ event: Record<string, unknown> }>(`/events/${id}`)).body;
    const { status, eventType, failureKind, maxRetries, priority, reopenedAt, metadata } = event;
    assert.deepEqual(
      [status, eventType, failureKind, maxRetries, priority, reopenedAt],
      ['FAILED_PERMANENTLY', 'order.created', 'permanent', 3, -5, null],
    );
    assert.deepEqual(metadata, {
      decided: { kind: 'permanent', retryAfter: 120, maxRetries: 3, priority: -5 },
      ignored: { 'dlo-speed': 'high' },
    });
  });

  it('is shown with the time at which its route gives the event up', async () => {
    const { id } = await post({ 'dlo-event-id': 'waiting' });
    assert.match(await pageOf(id), /Expires\s+in 2 d/);
    await database().sql(`update dlq_events set created_at = now() - interval '3 days' where id = $1`, [id]);
    assert.match(await pageOf(id), /Expires\s+with the next tick that claims it/);
    await database().sql('update dlq_events set reopened_at = now() where id = $1', [id]);
    assert.match(await pageOf(id), /Expires\s+in 2 d.*Reopened/);
  });

  it('is shown whatever an application wrote into its own metadata', async () => {
    const { id } = await post({ 'dlo-event-id': 'other' });
    for (const metadata of ['{"decided": [1], "ignored": "x"}', '{"decided": {"by": {"a": 1}}}', '[1]']) {
      await database().sql('update dlq_events set metadata = $1 where id = $2', [metadata, id]);
      assert.match(await pageOf(id), /any text/);
    }
  });
});
