import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { makeConsumer } from '../../local/demo/consumer.ts';
import { openShop } from '../../local/demo/demo.ts';
import { type Envelope, wraps } from '../../local/demo/envelopes.ts';
import { findFlaw, makeOrder } from '../../local/demo/orders.ts';
import { listenOnLoopback } from '../../local/http/listen.ts';
import { readCaptures } from '../../shared/capture/read-captures.ts';
import { findFreePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait-until.ts';

const now = new Date('2026-03-01T10:15:30.123Z');

describe('the demo of npm start', () => {
  it('sends the same order in each envelope, with the same event id', () => {
    const order = makeOrder(1, now);
    const error = Object.assign(new Error('payments answered 502'), { name: 'PaymentsUnavailableError' });
    const captures = wraps.map((wrap) => capture(wrap({ order, error }, now)));

    assert.deepEqual(captures.map(({ sourceKind }) => sourceKind).sort(), [
      'cloudevents',
      'pubsub',
      'report',
    ]);
    const { eventType, ...payload } = order;
    for (const captured of captures) {
      assert.deepEqual(JSON.parse(captured.body.toString()), payload);
      assert.equal(captured.eventType, eventType);
      assert.equal(captured.eventId, order.orderId);
    }
  });

  it('makes orders that are new after a restart, and 5 of 60 that cannot be charged', () => {
    const orders = Array.from({ length: 60 }, (_, i) => makeOrder(i + 1, now));
    const later = makeOrder(1, new Date(now.getTime() + 1));

    const ids = [...orders, later].map(({ orderId }) => orderId);
    assert.equal(new Set(ids).size, ids.length);
    const flaws = orders.flatMap((order) => findFlaw(order) ?? []);
    assert.equal(flaws.length, 5);
    assert.equal(new Set(flaws.map((flaw) => flaw.replaceAll(/A-\S+/g, ''))).size, 3, flaws.join());
  });

  it('charges an order once, however often it is delivered', async () => {
    let charges = 0;
    const consumer = makeConsumer(async () => {
      charges += 1;
    });
    for (const order of [makeOrder(1, now), makeOrder(1, now), makeOrder(2, now)]) await consumer(order);
    assert.equal(charges, 2);
  });

  it('sends a failure again until /capture answers that it is captured', async () => {
    const port = await findFreePort();
    const consumer = () => Promise.reject(new Error('payments answered 502'));
    const tried = Promise.withResolvers<void>();
    const target = { consumer, begin: tried.resolve, routes: [], close: async () => {} };
    const close = openShop(target, `http://127.0.0.1:${port}/capture`);
    await tried.promise;

    const bodies: string[] = [];
    const server = await listenOnLoopback(port, async (request, response) => {
      bodies.push(await text(request));
      response.writeHead(bodies.length === 1 ? 503 : 200).end();
    });
    await waitUntil('the failure is captured', () => bodies.length >= 2);
    await close();
    await server.close();

    assert.equal(bodies[1], bodies[0]);
  });
});

function capture({ headers, body }: Envelope) {
  const [captured] = readCaptures({
    path: '/',
    query: new URLSearchParams(),
    headers,
    body: Buffer.from(body),
  });
  assert.ok(captured);
  return captured;
}
