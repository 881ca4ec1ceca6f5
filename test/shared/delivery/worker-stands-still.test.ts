import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { beforeEach, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { DeliveryDeps } from '../../../shared/delivery/delivery-deps.ts';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { deliverBatch } from '../../support/deliver-batch.ts';
import { anEvent } from '../../support/factories.ts';
import { anHttpDelivery } from '../../support/http-delivery.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { send } from '../../support/send.ts';

/** Stops this thread, as a frozen process stands still: neither timers nor sockets are served. */
const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** A target in a thread of its own, which responds 50 ms after it has reported the request. */
const slowTarget = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer((request, response) => {
    parentPort.postMessage('arrived');
    setTimeout(() => response.end('ok'), 50);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

describe('a worker that stands still, or is stopped, during a delivery', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deliver = async (more: Partial<DeliveryDeps> = {}) => {
    await anEvent(database());
    const lease = { token: randomUUID(), endsAt: Date.now() + 60_000 };
    const events = await claim(database(), { leaseToken: lease.token });
    const policy = { timeoutSeconds: 2, breaker: { consecutiveFailures: 1 } };
    const deps = {
      db: database().db,
      routes: [aRouteTo(target().url, { policy })],
      retry: retryConfig(),
      ...more,
    };
    await deliverBatch(deps, { lease, events });
  };
  const outcomes = () =>
    database().sql('select a.outcome, b.state from dlq_attempts a left join dlq_breakers b using (target)');

  it('reads the response that arrived meanwhile, although the time for it is over, and uses its connection again', async () => {
    // The first delivery of a process loads undici, within its time.
    await send(anHttpDelivery(target().url, { timeoutSeconds: 60 }));
    const worker = new Worker(slowTarget, { eval: true });
    const [port] = await once(worker, 'message');
    const deliver = (timeoutSeconds: number) =>
      send(anHttpDelivery(`http://127.0.0.1:${port}/`, { timeoutSeconds }));
    const delivering = deliver(2);
    await once(worker, 'message');
    standStill(2500);
    const [late, next] = [await delivering, await deliver(60)];
    await worker.terminate();

    assert.deepEqual([late.kind, next.kind], ['delivered', 'delivered']);
  });

  it('sends nothing over a connection that opened when the time for it was over', async () => {
    await send(anHttpDelivery(target().url, { timeoutSeconds: 60 }));
    const worker = new Worker(slowTarget, { eval: true });
    const [port] = await once(worker, 'message');
    let arrived = 0;
    worker.on('message', () => arrived++);
    const deliver = (timeoutSeconds: number) =>
      send(anHttpDelivery(`http://127.0.0.1:${port}/`, { timeoutSeconds }));
    const delivering = deliver(1);
    // It connects in this turn, and hears in a later one that the connection is open.
    await new Promise(setImmediate);
    standStill(1500);
    const [late, next] = [await delivering, await deliver(60)];
    await worker.terminate();

    assert.deepEqual([late.kind, next.kind, arrived], ['transient', 'delivered', 1]);
  });

  it('opens the breaker of a target that does not respond in time', async ({ mock }) => {
    // A slow machine must not look like a worker that stands still.
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    target().answer = () => {};
    await deliver();

    assert.deepEqual(await outcomes(), [{ outcome: 'ambiguous', state: 'OPEN' }]);
  });

  it('does not blame the target for the time in which the worker stood still', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    target().answer = () => mock.timers.tick(10_000);
    await deliver();

    assert.deepEqual(await outcomes(), [{ outcome: 'ambiguous', state: null }]);
  });

  it('does not blame the target for a delivery that the end of the process cuts off', async () => {
    const ending = new AbortController();
    target().answer = () => ending.abort();
    await deliver({ shutdown: { stopping: new AbortController().signal, ending: ending.signal } });

    assert.deepEqual(await outcomes(), [{ outcome: 'ambiguous', state: null }]);
  });
});
