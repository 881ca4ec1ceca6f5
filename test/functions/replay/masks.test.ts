import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Preview } from '../../../shared/replay/preview-run.ts';
import { useApi } from '../../support/api.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

const secret = 'cleo@customer.example';

describe('a masked value', () => {
  const database = useDatabase();
  const mask = ['$.customer.email', 'headers.X-Token'];
  const api = useApi(database, { routes: [aRouteTo('http://shop/', { mask })] });
  const headers = { 'x-token': secret, tenant: 'acme' };
  let id = '';
  before(async () => {
    const payload = `{"id": 9007199254740993, "customer": {"email": "${secret}", "name": "Cleo"}}`;
    id = await anEvent(database(), { payload, body: Buffer.from(payload), headers: JSON.stringify(headers) });
  });
  const read = async (path: string, body?: object) => {
    const answer = body ? await api().post<unknown>(path, body) : await api().get<unknown>(path);
    const text = JSON.stringify(answer.body);
    for (const form of [secret, Buffer.from(secret).toString('base64').slice(1, -4)]) {
      assert.equal(text.includes(form), false, `${path} contains ${form}`);
    }
    return answer.body;
  };
  const preview = async (more: object) => {
    const answer = await read('/runs', { filter: { ids: [id] }, reason: 'x', dryRun: true, ...more });
    return (answer as Preview).samples[0];
  };

  it('is hidden in an event, and all other bytes are unchanged', async () => {
    await read(`/events/${id}`);
    const text = await (await fetch(`${api().url}/events/${id}`)).text();

    assert.match(text, /"id": 9007199254740993, .*"name": "Cleo"/);
    assert.match(text, /"headers":.*"tenant": "acme".*"x-token": "\(hidden\)"/);
  });

  it('is hidden in what later captures of the event said', async () => {
    const eventId = await anEvent(database());
    await database().sql(
      `insert into dlq_captures (event_id, failure, is_report, facts, body) values ($1, 1, true, $2, $3)`,
      [eventId, { headers, error_reason: 'gone' }, Buffer.from(`to ${secret}`)],
    );
    const { captures } = (await read(`/events/${eventId}`)) as unknown as { captures: unknown };

    assert.match(JSON.stringify(captures), /"x-token":"\(hidden\)".*"gone".*"bodyBase64":"\(hidden\)"/);
  });

  it('hides the whole payload if that is not JSON', async () => {
    const text = { payload: JSON.stringify(`to ${secret}`), payload_encoding: 'text' };
    await read(`/events/${await anEvent(database(), { ...text, body: Buffer.from(`to ${secret}`) })}`);
  });

  it('is hidden in the preview of a patch, before and after', async () => {
    const sample = await preview({ patch: [{ op: 'replace', path: '/customer/name', value: 'C.' }] });

    const after = '{"id": 9007199254740993, "customer": {"email": "(hidden)", "name": "C."}}';
    assert.deepEqual([sample?.before?.headers['x-token'], sample?.after?.body], ['(hidden)', after]);
  });

  it('stays hidden when a patch copies or moves it', async () => {
    for (const op of ['copy', 'move']) {
      const sample = await preview({ patch: [{ op, from: '/customer/email', path: '/note' }] });
      assert.match(String(sample?.after?.body), /"note":"\(hidden\)"/);
    }
    const inside = await preview({ patch: [{ op: 'test', path: '/customer/email', value: secret }] });
    assert.equal(inside?.after?.body, '(hidden)');
  });
});
