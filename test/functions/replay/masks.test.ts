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

describe('a mask', () => {
  const database = useDatabase();
  const mask = ['$.customer.email', '$.items.0.card', 'headers.X-Token'];
  const unmasked = useApi(database, { routes: [aRouteTo('http://shop/')] });
  const masked = useApi(database, { routes: [aRouteTo('http://shop/', { mask })] });
  const others = useApi(database, {
    routes: [aRouteTo('http://shop/', { match: { eventType: 'invoice' }, mask })],
  });
  const always = useApi(database, { routes: [], masks: mask });
  const asViewer = useApi(database, {
    routes: [],
    masks: mask,
    identify: async () => ({ name: 'eve', via: 'local', isOperator: false }),
  });
  let run = '';
  let id = '';
  before(async () => {
    const payload = JSON.stringify({ customer: { email: secret }, items: [{ card: secret }] });
    const ignored = {
      'customer.email': secret,
      customer: { email: secret, name: 'Cleo' },
      'headers.x-token': [secret],
    };
    id = await anEvent(database(), {
      ...{ payload, body: Buffer.from(payload), headers: JSON.stringify({ 'x-token': secret }) },
      ...{ metadata: JSON.stringify({ ignored }), status: 'FAILED_PERMANENTLY' },
    });
    const filter = {
      payload: { customer: { email: secret }, items: [{ card: secret }] },
      headers: { 'x-token': secret },
      payloadText: secret,
    };
    const patch = [
      { op: 'test', path: '/customer/email', value: secret },
      { op: 'replace', path: '/customer', value: { email: secret, name: 'Cleo' } },
      { op: 'add', path: '/items/-', value: { card: secret } },
    ];
    const created = await unmasked().post<{ id: string }>('/runs', { filter, patch, reason: 'x' });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    run = created.body.id;
    const discarded = await unmasked().post('/events/discard', { filter, reason: 'x' });
    assert.equal(discarded.status, 200, JSON.stringify(discarded.body));
  });
  const paths = () => ['/runs', '/events/export?format=ndjson', `/runs/${run}`, '/audit', `/events/${id}`];
  const read = async (url: string, path: string) => {
    const text = await (await fetch(url + path)).text();
    return { path, shows: text.includes(secret), text };
  };

  it('hides what was written before it was added: in runs, their events, the audit and ignored members', async () => {
    for (const path of paths()) {
      assert.equal((await read(unmasked().url, path)).shows, true, path);
      const { shows, text } = await read(masked().url, path);
      assert.equal(shows, false, `${path}: ${text}`);
      assert.match(text, /\(hidden\)/, path);
    }
    assert.match((await read(masked().url, `/runs/${run}`)).text, /"name":"Cleo"/);
  });

  it('of MASKS needs no route', async () => {
    for (const path of paths()) {
      assert.equal((await read(always().url, path)).shows, false, path);
    }
  });

  it('of MASKS keeps viewers from comparing', async () => {
    const query = new URLSearchParams({ q: `payload:${JSON.stringify({ customer: { email: secret } })}` });
    for (const path of [`/events?${query}`, `/events/export?${query}`]) {
      assert.equal((await fetch(asViewer().url + path)).status, 403, path);
    }
  });

  it('of any route holds for an event that no route matches', async () => {
    for (const path of paths()) {
      assert.equal((await read(others().url, path)).shows, false, path);
    }
  });
});
