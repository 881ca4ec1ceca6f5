import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { statuses } from '../../../shared/message/event.ts';
import { previewRun } from '../../../shared/replay/preview-run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, aRunRequest, progressOf } from '../../support/runs.ts';

describe('a replay on an ordered route', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = () => ({
    db: database().db,
    retry: retryConfig(),
    routes: [aRouteTo(target().url, { ordered: true })],
  });
  const work = (id: string) => workOnReplay(deps(), id, { endsAt: Date.now() + 600_000 });
  const event = (status: string) =>
    anEvent(database(), {
      source_key: 'a',
      status,
      ...(status !== 'PENDING' && { processed_at: new Date() }),
    });
  const sent = () => target().received.map(({ headers }) => `${headers['dlo-event-id']}`.split('.')[0]);

  for (const pace of ['ungated', 'fast']) {
    it(`sends open and closed events of a key in the order of capture, ${pace}`, async () => {
      const ids: string[] = [];
      for (const status of [
        'SUCCEEDED',
        'PENDING',
        'PENDING',
        'DISCARDED',
        'SUCCEEDED',
        'PENDING',
        'SUCCEEDED',
      ])
        ids.push(await event(status));
      const { id } = await aRun(deps(), { pace, filter: { ids, status: statuses } });
      await Promise.all([work(id), work(id)]);
      assert.deepEqual(sent(), ids);
    });
  }

  it('sends a closed event, although a later one of its key is open', async () => {
    const [closed, open] = [await event('SUCCEEDED'), await event('PENDING')];
    const filter = { ids: [closed], status: statuses };
    assert.equal((await previewRun({ ...deps(), costLimit: 0 }, aRunRequest({ filter }))).blocked, null);

    const { id } = await aRun(deps(), { filter });
    await work(id);
    assert.equal((await progressOf(database(), id)).delivered, 1);
    assert.notEqual(sent()[0], open);
  });
});
