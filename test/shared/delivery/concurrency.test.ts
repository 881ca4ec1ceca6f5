import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openConcurrency } from '../../../shared/delivery/concurrency.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { typedEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('the concurrency of a route', () => {
  /** Ten deliveries at once, of which each runs until it is ended. */
  const open = () => {
    const running: { readonly kind: string; readonly end: () => void }[] = [];
    const concurrency = openConcurrency(10, () => {});
    const start = (kind: string, count: number) => {
      for (let n = 0; n < count; n += 1)
        void concurrency.run(kind, () => new Promise<void>((end) => running.push({ kind, end })));
    };
    const count = (kind: string) => running.filter((each) => each.kind === kind).length;
    return { concurrency, running, start, count };
  };

  it('is that of the route once its target has answered', async () => {
    const { concurrency, start, count } = open();
    concurrency.learn('a', false);
    start('a', 20);
    await setImmediate();
    assert.equal(count('a'), 10);
    assert.equal(concurrency.isFull(), true);
  });

  it('is held to one half by a kind that was not answered yet', async () => {
    const { start, count } = open();
    start('a', 20);
    await setImmediate();
    assert.equal(count('a'), 5);
  });

  it('is held to one half by a kind of which one hung, and to three quarters by several such kinds', async () => {
    const { concurrency, start, count } = open();
    concurrency.learn('a', true);
    concurrency.learn('a', false);
    for (const kind of ['a', 'b', 'c']) start(kind, 20);
    await setImmediate();
    assert.deepEqual([count('a'), count('b'), count('c')], [5, 3, 0]);
  });

  it('goes to kinds in turn', async () => {
    const { concurrency, running, start } = open();
    for (const kind of ['a', 'b', 'c']) concurrency.learn(kind, false);
    start('a', 10);
    for (const kind of ['b', 'c']) start(kind, 3);
    await setImmediate();
    for (const { end } of running.slice(0, 4)) end();
    await setImmediate();
    assert.deepEqual(
      running.slice(10).map(({ kind }) => kind),
      ['b', 'c', 'b', 'c'],
    );
  });

  it('is shared by the kinds that wait, so that one whose events begin to hang leaves the others theirs', async () => {
    const { concurrency, running, start } = open();
    for (const kind of ['a', 'b']) concurrency.learn(kind, false);
    for (let n = 0; n < 60; n += 1) {
      start('a', 1);
      start('b', 4);
    }
    const hanging = new Set<unknown>();
    for (let turn = 0; turn < 30; turn += 1) {
      await setImmediate();
      for (const each of running.splice(0)) each.kind === 'a' ? hanging.add(each) : each.end();
    }
    assert.equal(hanging.size, 5);
  });
});

describe('events that hang', () => {
  const database = useDatabase();
  const target = useHttpTarget();

  it('hold back no event of another type, not even until the first of them times out', async () => {
    await typedEvents(database(), 100, 'sick');
    await typedEvents(database(), 40, 'healthy');
    const held: ServerResponse[] = [];
    target().answer = ({ body }, response) =>
      JSON.parse(body.toString()).type === 'sick' ? void held.push(response) : response.end();
    const deps = { db: database().db, retry: retryConfig(), routes: [aRouteTo(target().url)] };
    const ticking = runTick(deps);
    const isDone = `select from dlq_events where status = 'SUCCEEDED'`;
    await waitUntil('the others are delivered', async () => (await database().sql(isDone)).length === 40);
    assert.ok(held.length <= 5, `${held.length} hang`);
    target().answer = (_, response) => response.end();
    for (const response of held) response.end();
    assert.equal((await ticking).tally.delivered, 140);
  });
});
