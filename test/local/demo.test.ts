import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { makeConsumer } from '../../local/demo/consumer.ts';
import { type Envelope, wraps } from '../../local/demo/envelopes.ts';
import { findFlaw, makeOrder } from '../../local/demo/orders.ts';
import { openOutbox } from '../../local/demo/outbox.ts';
import { listenOnLoopback } from '../../local/http/listen.ts';
import { readCaptures } from '../../shared/capture/read-captures.ts';
import { useDatabase } from '../support/database.ts';
import { findFreePort } from '../support/free-port.ts';
import { useServices, waitFor, waitForAddress } from './service-process.ts';

const now = new Date('2026-03-01T10:15:30.123Z');

describe('the demo of npm start', () => {
  const database = useDatabase();
  const { startService } = useServices();

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
    assert.equal(new Set(flaws.map((flaw) => flaw.replaceAll(/A-\S+|-\d\S+/g, ''))).size, 4, flaws.join());
  });

  it('charges an order once, however often it is delivered', async () => {
    let charges = 0;
    const consumer = makeConsumer({
      charge: async () => {
        charges += 1;
      },
    });
    for (const order of [makeOrder(1, now), makeOrder(1, now), makeOrder(2, now)]) await consumer(order);
    assert.equal(charges, 2);
  });

  it('keeps failures while /capture does not answer, and sends each of them later', async () => {
    const port = await findFreePort();
    const lines: string[] = [];
    const outbox = openOutbox(`http://127.0.0.1:${port}/capture`, (text) => lines.push(text));
    for (const body of ['1', '2', '3']) outbox.add({ headers: {}, body });
    await waitFor('the report of the outage', () => lines.length === 1);
    assert.equal(outbox.count(), 3);

    const bodies: string[] = [];
    const server = await listenOnLoopback(port, async (request, response) => {
      for await (const chunk of request) bodies.push(String(chunk));
      response.end();
    });
    await outbox.drain(5000);
    await server.close(0);

    assert.deepEqual(bodies, ['1', '2', '3']);
    assert.equal(outbox.count(), 0);
    assert.equal(lines.length, 2);
  });

  it('shows a permanent failure within seconds, and prints commands that work as they are', async () => {
    const service = startService({ DEMO: 'on', DATABASE_URL: database().url });
    const url = await waitForAddress(service);
    await waitFor('the failure', () => /retry +retried .*failed permanently/.test(service.stdout()));

    const lines = service.stdout().match(/^ {2}(curl|psql) .*/gm) ?? [];
    assert.ok(lines.length >= 4, service.stdout());
    for (const line of lines.filter((each) => each.includes('curl'))) {
      const { stdout } = await promisify(execFile)('sh', ['-c', line]);
      assert.doesNotMatch(stdout, /"status":[45]\d\d/, line);
      assert.equal(typeof JSON.parse(stdout), 'object');
    }
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
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
