import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { previewRun } from '../../../shared/replay/preview-run.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRunRequest } from '../../support/runs.ts';

describe('a preview of a patch', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const event = (body: string, more = {}) => anEvent(database(), { body: Buffer.from(body), ...more });
  const preview = (patch?: object[]) => {
    const request = aRunRequest({ dryRun: true, ...(patch && { patch }) });
    return previewRun({ db: database().db, routes: [aRouteTo('http://shop/')], costLimit: 0 }, request);
  };
  const toEuro = [{ op: 'replace', path: '/currency', value: 'EUR' }];

  it('counts the events that it fits and does not fit, with the reasons', async () => {
    await event('{"currency": "USD"}');
    const first = await event('{}');
    const list = await event('[]');
    const text = await event('USD', { payload_encoding: 'text' });
    const last = await event('{}');
    const { fit } = await preview(toEuro);
    assert.deepEqual([fit?.fits, fit?.doesNotFit, fit?.unknown], [1, 4, 0]);
    assert.deepEqual(fit?.reasons, [
      { reason: 'patch[0] (replace /currency): There is no /currency.', events: 3, ids: [first, list, last] },
      { reason: 'Its payload is not JSON in UTF-8.', events: 1, ids: [text] },
    ]);
  });

  it('reads a bounded number of events and bytes, and says that the others are unknown', async () => {
    await manyEvents(database(), 1200);
    const { fit } = await preview([{ op: 'replace', path: '/n', value: 0 }]);
    assert.deepEqual([fit?.fits, fit?.unknown], [1000, 200]);
    await database().clear('dlq_events');
    for (let i = 0; i < 7; i++) await event(JSON.stringify({ text: 'x'.repeat(400 * 1024) }));
    await event(JSON.stringify({ text: 'x'.repeat(2 ** 20) }));
    const large = await preview([{ op: 'remove', path: '/text' }]);
    assert.deepEqual([large.fit?.fits, large.fit?.unknown], [5, 3]);
  });

  it('has no such counts without a patch', async () => {
    await event('{}');
    const { fit, selected } = await preview();
    assert.deepEqual([fit, selected], [null, 1]);
  });
});
