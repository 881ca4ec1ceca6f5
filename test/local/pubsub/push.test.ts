import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { useEndpoint } from './use-endpoint.ts';
import { subscriptionName, topicName, usePubSub } from './use-pubsub.ts';

describe('a push subscription of the Pub/Sub stand-in', () => {
  const running = usePubSub();
  const endpoint = useEndpoint();

  const subscribe = () => {
    const { client, standIn } = running();
    standIn.pushTo(topicName('orders'), endpoint.url());
    return client.topic('orders');
  };

  it('posts the message in the wrapped form, with the names of the service in both spellings', async () => {
    const topic = subscribe();
    const data = Buffer.from('{"id":1}');
    const attributes = { event_type: 'order.created' };
    const messageId = await topic.publishMessage({ data, attributes, orderingKey: 'customer-7' });

    const [arrival] = await endpoint.arrived(1);

    const publishTime = running().standIn.messages(topicName('orders'))[0]?.publishTime.toISOString();
    const names = { messageId, message_id: messageId, publishTime, publish_time: publishTime };
    const message = { ...names, attributes, data: 'eyJpZCI6MX0=', orderingKey: 'customer-7' };
    assert.deepEqual(arrival?.body, { message, subscription: subscriptionName('orders') });
    assert.equal(arrival?.headers['content-type'], 'application/json');
  });

  it('omits fields that a message does not have', async () => {
    const topic = subscribe();
    await topic.publishMessage({ attributes: { event_type: 'order.created' } });
    await topic.publishMessage({ data: Buffer.from('x') });

    const arrivals = await endpoint.arrived(2);

    const names = arrivals.map(({ body }) =>
      Object.keys(body.message).filter((name) => !/_|Id|Time/.test(name)),
    );
    assert.deepEqual(names.sort(), [['attributes'], ['data']]);
  });

  // Another message fails twice, 300 ms in all: longer than the backoff before a redelivery of the first.
  const countPushes = async (answer: (response: ServerResponse) => void) => {
    const topic = subscribe();
    const failures = [500, 500];
    endpoint.respond(({ body }, response) =>
      body.message.attributes?.n === '1'
        ? answer(response)
        : response.writeHead(failures.shift() ?? 204).end(),
    );
    for (const n of ['1', '2']) await topic.publishMessage({ attributes: { n } });
    const arrivals = await endpoint.arrived(4);
    return arrivals.filter(({ body }) => body.message.attributes?.n === '1').length;
  };

  for (const status of [200, 201, 202, 204]) {
    it(`treats ${status} as an acknowledgement`, async () => {
      assert.equal(await countPushes((response) => response.writeHead(status).end()), 1);
    });
  }

  it('treats an interim 102 as an acknowledgement, whatever the final status is', async () => {
    const pushes = await countPushes((response) => {
      response.writeProcessing();
      response.writeHead(500).end();
    });
    assert.equal(pushes, 1);
  });

  for (const status of [203, 302, 400, 429, 503]) {
    it(`redelivers the same message after ${status}`, async () => {
      const topic = subscribe();
      const statuses = [status];
      const headers = { location: endpoint.url() };
      endpoint.respond((_, response) => response.writeHead(statuses.shift() ?? 204, headers).end());
      const messageId = await topic.publishMessage({ data: Buffer.from('x') });

      const arrivals = await endpoint.arrived(2);
      assert.deepEqual(
        arrivals.map(({ body }) => body.message.messageId),
        [messageId, messageId],
      );
    });
  }

  it('redelivers after a broken connection', async () => {
    const topic = subscribe();
    const failures = [1];
    endpoint.respond((_, response) => (failures.pop() ? response.destroy() : response.writeHead(204).end()));
    await topic.publishMessage({ data: Buffer.from('x') });

    assert.equal((await endpoint.arrived(2)).length, 2);
  });

  it('waits 100 ms before the first redelivery and doubles the wait each time', async () => {
    const topic = subscribe();
    const statuses = [500, 500];
    endpoint.respond((_, response) => response.writeHead(statuses.shift() ?? 204).end());
    await topic.publishMessage({ data: Buffer.from('x') });

    const [first = 0, second = 0, third = 0] = (await endpoint.arrived(3)).map(({ atMillis }) => atMillis);

    // Two clocks: a timer may fire a little early, but never by half.
    assert.ok(second - first > 90, `${second - first} ms after the first`);
    assert.ok(third - second > 180, `${third - second} ms after the second`);
  });

  it('breaks off a hanging push when the stand-in stops', async () => {
    const topic = subscribe();
    const broken = new Promise((resolve) => {
      endpoint.respond((_, response) => response.on('close', resolve));
    });
    await topic.publishMessage({ data: Buffer.from('x') });
    await endpoint.arrived(1);

    await running().standIn.stop();
    await broken;
  });
});
