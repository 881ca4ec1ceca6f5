import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, it } from 'node:test';
import type { Database } from '../../../shared/database/database.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { redeliveredId } from '../../support/redelivered-id.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('during a slow delivery, a worker', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const tick = (settings = {}, db: Database = database().db) =>
    runTick({ db, retry: retryConfig({ batchSize: 5, ...settings }), routes: [aRouteTo(target().url)] });
  const count = async (status: string) =>
    (await database().sql('select from dlq_events where status = $1', [status])).length;
  /** Holds the responses to events with these ids; returns a function that sends them. */
  const holdResponses = (ids: readonly string[]) => {
    const held: ServerResponse[] = [];
    target().answer = ({ headers }, response) =>
      ids.includes(redeliveredId(headers)) ? void held.push(response) : response.end();
    return () => held.map((response) => response.end());
  };

  it('settles other deliveries, and claims further due events', async () => {
    const slow = await anEvent(database(), { retry_after: new Date(0) });
    await manyEvents(database(), 29);
    const sendResponses = holdResponses([slow]);
    const ticking = tick();
    await waitUntil('all others are settled', async () => (await count('SUCCEEDED')) === 29);
    assert.equal(await count('PROCESSING'), 1);
    sendResponses();
    const { tally, stopped } = await ticking;
    assert.deepEqual([tally.delivered, stopped], [30, 'nothing due']);
  });

  it('holds at most four batches, however many events are due', async () => {
    await manyEvents(database(), 100);
    const held: ServerResponse[] = [];
    let max = 0;
    target().answer = (_, response) => {
      max = Math.max(max, held.push(response));
    };
    const routes = [aRouteTo(target().url, { policy: { concurrency: 50 } })];
    const ticking = runTick({ db: database().db, retry: retryConfig({ batchSize: 5 }), routes });
    await waitUntil('four batches are with the target', () => held.length === 20);
    const answering = setInterval(() => held.shift()?.end(), 1);
    assert.equal((await ticking).tally.delivered, 100);
    clearInterval(answering);
    assert.equal(max, 20);
  });

  it('holds what its lease can carry of a target that has not answered, and leaves the others to other workers', async () => {
    await manyEvents(database(), 120);
    const held: ServerResponse[] = [];
    target().answer = (_, response) => void held.push(response);
    const ticking = tick({ batchSize: 500 });
    const isHeld = async () => held.length === 5 && (await count('PROCESSING')) === 20;
    await waitUntil('all that fit are being delivered', isHeld);
    assert.equal(await count('PENDING'), 100);
    target().answer = (_, response) => response.end();
    for (const response of held) response.end();
    assert.equal((await ticking).tally.delivered, 120);
  });

  it('claims the next event of a key on an ordered route', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await anEvent(database(), { source_key: 'a' }));
    const slow = await anEvent(database(), { source_key: 'b' });
    const sendResponses = holdResponses([slow]);
    const routes = [aRouteTo(target().url, { ordered: true })];
    const ticking = runTick({ db: database().db, retry: retryConfig(), routes });
    await waitUntil('the other key is done', async () => (await count('SUCCEEDED')) === 3);
    sendResponses();
    assert.equal((await ticking).tally.delivered, 4);
  });
});

describe('a worker with a full backlog', () => {
  const database = useDatabase();
  const target = useHttpTarget();

  it('claims and settles by batches, not by events', async () => {
    await manyEvents(database(), 500);
    const statements: (string | undefined)[] = [];
    const { db } = database();
    const query: Database['query'] = (request) => {
      statements.push(request.name);
      return db.query(request);
    };
    const routes = [aRouteTo(target().url, { policy: { concurrency: 50 } })];
    const { tally } = await runTick({ db: { ...db, query }, retry: retryConfig({ batchSize: 50 }), routes });
    assert.equal(tally.delivered, 500);
    const count = (name: string) => statements.filter((each) => each === name).length;
    // Ten full batches, and smaller ones on a slow machine: outcomes are settled after waiting 100 ms.
    for (const name of ['lease-events', 'settle-events'])
      assert.ok(count(name) > 0 && count(name) <= 125, `${count(name)} times ${name}`);
  });
});
