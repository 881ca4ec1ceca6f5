import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aCapture } from '../support/captures.ts';
import { anEvent } from '../support/factories.ts';
import { pickVariant } from '../support/sample.ts';
import { useService } from '../support/service-beside-sql.ts';
import { readBodies } from '../support/stored-bodies.ts';

describe('a payload that an operator changes in SQL', () => {
  const { database, api, capture, page, tick } = useService();
  const large = `{"orderId": 1, "text": "${'x'.repeat(300_000)}"}`;
  const sources: Record<string, () => Promise<string>> = {
    'captured JSON': () => capture({ body: Buffer.from('{ "orderId" : 1, "b": 1, "a": 2 }') }),
    'captured JSON of 300 kB': () => capture({ body: Buffer.from(large) }),
    'a captured text': () => capture({ body: Buffer.from('order 1'), contentType: 'text/plain' }),
    'captured bytes': () => capture({ body: Buffer.from([0xff, 0, 1]) }),
    'a captured message without a body': () => capture({ body: Buffer.alloc(0) }),
    'a report': async () => {
      const [row] = await database().sql<{ id: string }>(
        `select dlq_capture('order.created', '{"orderId": 1}', 'timeout', event_id => 'order-1') as id`,
      );
      return row?.id ?? '';
    },
    'an inserted row': async () => {
      const [row] = await database().sql<{ id: string }>(
        `insert into dlq_events (event_type, payload) values ('order.created', '{"orderId": 1}') returning id`,
      );
      return row?.id ?? '';
    },
  };
  const change = (id: string) =>
    database().sql(`update dlq_events set payload = '{"currency": "EUR"}' where id = $1`, [id]);

  for (const [source, store] of pickVariant('message', Object.entries(sources))) {
    it(`is the message that every page shows and a delivery sends: ${source}`, async () => {
      const id = await store();
      await change(id);
      const shown = await api().get<{ event: { bodyBase64: string } }>(`/events/${id}`);
      const patch = [{ op: 'add', path: '/checked', value: true }];
      const dryRun = { filter: { ids: [id] }, reason: 'x', dryRun: true, patch };
      const preview = await api().post<{ samples: { before: { body: string } }[] }>('/runs', dryRun);
      const download = await page(`events/${id}/body`);

      const changed = '{"currency": "EUR"}';
      assert.equal(Buffer.from(shown.body.event.bodyBase64, 'base64').toString(), changed);
      assert.equal(preview.body.samples[0]?.before.body, changed);
      assert.equal(download.text, changed);
      assert.match((await page(`events/${id}`)).text, /EUR/);
      assert.deepEqual(await tick(), [changed]);
    });
  }

  const captured = Object.entries(sources).filter(([name]) => /captured/.test(name));
  for (const [source, store] of pickVariant('exact bytes', captured)) {
    it(`leaves the exact bytes to the original, once, and the page shows them: ${source}`, async () => {
      const id = await store();
      const [before] = await readBodies(database());
      await change(id);
      await database().sql(`update dlq_events set payload = '{"currency": "USD"}'`);

      const { body } = await api().get<{ captures: { kind: string; bodyBase64: string }[] }>(`/events/${id}`);
      assert.deepEqual(
        body.captures.map(({ kind, bodyBase64 }) => [kind, Buffer.from(bodyBase64, 'base64')]),
        [['original', before]],
      );
      const { text } = await page(`events/${id}`);
      assert.match(text, /<h2 id="captures">Captures.*Original/s);
    });
  }

  it('stays a text if it is one', async () => {
    await capture({ body: Buffer.from('order 1'), contentType: 'text/plain' });
    await database().sql(`update dlq_events set payload = '"order 2"'`);

    assert.deepEqual(await tick(), ['order 2']);
  });

  it('leaves another capture of the original a capture of the same event', async () => {
    const [first, again] = [aCapture({ deliveryId: 'd1' }), aCapture({ deliveryId: 'd2' })];
    const id = await capture(first);
    await change(id);

    assert.equal(await capture(again), id);
    assert.deepEqual(await database().sql('select payload from dlq_events'), [
      { payload: { currency: 'EUR' } },
    ]);
  });

  it('leaves the bytes of an event whose payload is set to what it was', async () => {
    await capture({ body: Buffer.from('{ "orderId" : 1 }') });
    await database().sql('update dlq_events set payload = payload, priority = 3');

    assert.deepEqual(await tick(), ['{ "orderId" : 1 }']);
  });
});

describe('a value that cannot be printed back', () => {
  const { database, api, page, tick } = useService();

  it('ends no page, list, export or preview, and no delivery of others', async () => {
    const bad = await anEvent(database(), { body: null, payload: '[1]', payload_encoding: 'base64' });
    await anEvent(database(), { body: null, payload: '"=x"', payload_encoding: 'base64' });
    await anEvent(database(), { body: null, payload: '{}', payload_encoding: 'text' });
    await anEvent(database(), { body: null, payload: '{"n": 1}', printed_as: '5 zz' });
    await anEvent(database(), { body: null, payload: '{"n": 2}', printed_as: 'zz' });
    const filter = { eventType: 'order.*' };
    const patch = [{ op: 'add', path: '/checked', value: true }];

    assert.equal((await page(`events/${bad}`)).status, 200);
    assert.equal((await page('events?q=type:order.*')).status, 200);
    assert.equal((await api().get(`/events/${bad}`)).status, 200);
    assert.equal((await page('events/export?format=ndjson')).status, 200);
    assert.equal((await api().post('/runs', { filter, reason: 'x', dryRun: true, patch })).status, 200);
    assert.deepEqual((await tick()).toSorted(), ['"=x"', '[1]', '{"n": 1}', '{"n": 2}', '{}']);
  });
});
