import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { previewRun } from '../../../shared/replay/preview-run.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRunRequest } from '../../support/runs.ts';

describe('the preview of a patch of large messages', () => {
  const database = useDatabase();
  const preview = () => {
    const patch = [{ op: 'replace', path: '/note', value: 'b' }];
    const request = aRunRequest({ filter: { eventType: ['large'] }, patch });
    return previewRun({ db: database().db, routes: [aRouteTo('http://shop/')], costLimit: 0 }, request);
  };
  const payloadOf = (bytes: number) => JSON.stringify({ note: 'a', rest: 'x'.repeat(bytes) });
  before(async () => {
    for (const bytes of [600_000, 100_000, 10]) {
      const payload = payloadOf(bytes);
      await anEvent(database(), { event_type: 'large', payload, body: Buffer.from(payload) });
    }
  });

  it('checks those of up to 512 KiB, and counts the others as unknown', async () => {
    const { fit } = await preview();
    assert.deepEqual([fit?.fits, fit?.doesNotFit, fit?.unknown], [2, 0, 1]);
  });

  it('shows the change of those of up to 64 KiB, and the size of the others', async () => {
    const { samples } = await preview();
    const shown = samples.map(({ before, omittedBytes }) => [before !== undefined, omittedBytes]);
    assert.deepEqual(shown, [
      [false, payloadOf(600_000).length],
      [false, payloadOf(100_000).length],
      [true, undefined],
    ]);
  });
});
