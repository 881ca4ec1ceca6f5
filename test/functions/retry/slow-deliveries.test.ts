import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, it } from 'node:test';
import { runTick } from '../../../functions/retry/run-tick.ts';
import type { Database } from '../../../shared/database.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('while a slow delivery goes on, a worker', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() =>
    database().sql('truncate dlq_events, dlq_breakers, dlq_runs, dlq_run_workers, dlq_rates cascade'),
  );
  const tick = (settings = {}, db: Database = database().db) =>
    runTick({ db, retry: retryConfig({ batchSize: 5, ...settings }), routes: [aRouteTo(target().url)] });
  const count = async (status: string) =>
    (await database().sql('select from dlq_events where status = $1', [status])).length;
  /** Leaves the events with these ids without an answer until they are let go. */
  const hold = (ids: readonly string[]) => {
    const held: ServerResponse[] = [];
    target().answer = ({ headers }, response) =>
      ids.includes(String(headers['dlo-event-id'])) ? void held.push(response) : response.end();
    return () => held.map((response) => response.end());
  };

  it('settles what was delivered beside it, and goes on with what else is due', async () => {
    const slow = await anEvent(database(), { retry_after: new Date(0) });
    await manyEvents(database(), 29);
    const letGo = hold([slow]);
    const ticking = tick();
    await waitUntil('all others are settled', async () => (await count('SUCCEEDED')) === 29);
    assert.equal(await count('PROCESSING'), 1);
    letGo();
    const { tally, stopped } = await ticking;
    assert.deepEqual([tally.delivered, stopped], [30, 'nothing due']);
  });

  it('holds no more than a few batches, however many are due', async () => {
    await manyEvents(database(), 100);
    let open = 0;
    let most = 0;
    target().answer = (_, response) => {
      most = Math.max(most, ++open);
      response.on('finish', () => --open);
      setTimeout(() => response.end(), 200);
    };
    const routes = [aRouteTo(target().url, { policy: { concurrency: 50 } })];
    const { tally } = await runTick({ db: database().db, retry: retryConfig({ batchSize: 5 }), routes });
    assert.equal(tally.delivered, 100);
    assert.ok(most > 5 && most <= 20, `${most} at once`);
  });

  it('takes up what it sets free, on an ordered route', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await anEvent(database(), { source_key: 'a' }));
    const slow = await anEvent(database(), { source_key: 'b' });
    const letGo = hold([slow]);
    const routes = [aRouteTo(target().url, { ordered: true })];
    const ticking = runTick({ db: database().db, retry: retryConfig(), routes });
    await waitUntil('the other key is done', async () => (await count('SUCCEEDED')) === 3);
    letGo();
    assert.equal((await ticking).tally.delivered, 4);
  });
});

describe('a worker that is kept busy', () => {
  const database = useDatabase();
  const target = useHttpTarget();

  it('claims and settles by batches, not by events', async () => {
    await manyEvents(database(), 500);
    const statements: (string | undefined)[] = [];
    const { db } = database();
    const query: Database['query'] = (asked) => {
      statements.push(asked.name);
      return db.query(asked);
    };
    const routes = [aRouteTo(target().url, { policy: { concurrency: 50 } })];
    const { tally } = await runTick({ db: { ...db, query }, retry: retryConfig({ batchSize: 50 }), routes });
    assert.equal(tally.delivered, 500);
    const count = (name: string) => statements.filter((each) => each === name).length;
    // Ten batches, and some more that are not full: where the machine is slow, what has waited for a tenth of a second is
    // settled, and sets others free to be claimed.
    assert.ok(count('claim-events') <= 40, `${count('claim-events')} claims`);
    assert.ok(count('settle-events') <= 40, `${count('settle-events')} settlements`);
  });
});
