import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CreateSubscriptionOptions } from '@google-cloud/pubsub';
import { retryDelayMillis } from '../../../local/pubsub/retry-delay.ts';
import { readData, useEndpoint } from './use-endpoint.ts';
import { subscriptionName, topicName, usePubSub } from './use-pubsub.ts';

const millis = (count: number) => ({ seconds: 0, nanos: count * 1_000_000 });

describe('push subscriptions of the stand-in', () => {
  const running = usePubSub();
  const endpoint = useEndpoint();

  const subscribe = async (options: CreateSubscriptionOptions = {}) => {
    const [topic] = await running().client.createTopic('orders');
    await topic.createSubscription('capture', { pushEndpoint: endpoint.url(), ...options });
    return topic;
  };

  it('post the message in the wrapped form, every name of the service in both spellings', async () => {
    const topic = await subscribe();
    const data = Buffer.from('{"id":1}');
    const attributes = { event_type: 'order.created' };
    const messageId = await topic.publishMessage({ data, attributes, orderingKey: 'customer-7' });

    const [arrival] = await endpoint.arrived(1);

    const publishTime = running().standIn.messages(topic.name)[0]?.publishTime.toISOString();
    const names = { messageId, message_id: messageId, publishTime, publish_time: publishTime };
    const message = { ...names, attributes, data: 'eyJpZCI6MX0=', orderingKey: 'customer-7' };
    assert.deepEqual(arrival?.body, { message, subscription: subscriptionName('capture') });
    assert.equal(arrival?.headers['content-type'], 'application/json');
  });

  it('leave out what a message does not have', async () => {
    const topic = await subscribe();
    await topic.publishMessage({ attributes: { event_type: 'order.created' } });
    await topic.publishMessage({ data: Buffer.from('x') });

    const arrivals = await endpoint.arrived(2);

    const names = arrivals.map(({ body }) =>
      Object.keys(body.message).filter((name) => !/_|Id|Time/.test(name)),
    );
    assert.deepEqual(names.sort(), [['attributes'], ['data']]);
  });

  it('count delivery attempts at the top of the body when there is a dead letter policy', async () => {
    await running().client.createTopic('dead');
    const deadLetterPolicy = { deadLetterTopic: topicName('dead'), maxDeliveryAttempts: 5 };
    const topic = await subscribe({ deadLetterPolicy, retryPolicy: { minimumBackoff: millis(1) } });
    endpoint.respond(({ body }, response) =>
      response.writeHead(body.deliveryAttempt === 1 ? 500 : 204).end(),
    );
    await topic.publishMessage({ data: Buffer.from('x') });

    const arrivals = await endpoint.arrived(2);

    assert.deepEqual(
      arrivals.map(({ body }) => body.deliveryAttempt),
      [1, 2],
    );
  });

  for (const status of [200, 201, 202, 204]) {
    it(`take ${status} for an acknowledgement`, async () => {
      const topic = await subscribe({
        enableMessageOrdering: true,
        retryPolicy: { minimumBackoff: millis(0) },
      });
      endpoint.respond((_, response) => response.writeHead(status).end());
      for (const text of ['first', 'second']) {
        await topic.publishMessage({ data: Buffer.from(text), orderingKey: 'key' });
      }

      // Of one key, a message only follows when the one before it was acknowledged.
      const arrivals = await endpoint.arrived(2);
      assert.deepEqual(
        arrivals.map(({ body }) => readData(body)),
        ['first', 'second'],
      );
    });
  }

  it('take an interim 102 for an acknowledgement, whatever the final status is', async () => {
    const topic = await subscribe({
      enableMessageOrdering: true,
      retryPolicy: { minimumBackoff: millis(0) },
    });
    endpoint.respond((_, response) => {
      response.writeProcessing();
      response.writeHead(500).end();
    });
    for (const text of ['first', 'second']) {
      await topic.publishMessage({ data: Buffer.from(text), orderingKey: 'key' });
    }

    const arrivals = await endpoint.arrived(2);
    assert.deepEqual(
      arrivals.map(({ body }) => readData(body)),
      ['first', 'second'],
    );
  });

  for (const status of [203, 302, 400, 429, 503]) {
    it(`redeliver the same message after ${status}`, async () => {
      const topic = await subscribe({ retryPolicy: { minimumBackoff: millis(1) } });
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

  it('redeliver after the connection was broken off', async () => {
    const topic = await subscribe({ retryPolicy: { minimumBackoff: millis(1) } });
    const failures = [1];
    endpoint.respond((_, response) => (failures.pop() ? response.destroy() : response.writeHead(204).end()));
    await topic.publishMessage({ data: Buffer.from('x') });

    assert.equal((await endpoint.arrived(2)).length, 2);
  });

  it('wait for the minimum backoff, and twice as long the next time', async () => {
    const topic = await subscribe({
      retryPolicy: { minimumBackoff: millis(60), maximumBackoff: { seconds: 1 } },
    });
    const statuses = [500, 500];
    endpoint.respond((_, response) => response.writeHead(statuses.shift() ?? 204).end());
    await topic.publishMessage({ data: Buffer.from('x') });

    const [first = 0, second = 0, third = 0] = (await endpoint.arrived(3)).map(({ atMillis }) => atMillis);

    // A timer may fire a little early by another clock, but never by half.
    assert.ok(second - first > 50, `${second - first} ms after the first`);
    assert.ok(third - second > 110, `${third - second} ms after the second`);
  });

  it('deliver the messages of one key in order, though one of them fails at first', async () => {
    const topic = await subscribe({
      enableMessageOrdering: true,
      retryPolicy: { minimumBackoff: millis(5) },
    });
    const statuses = [500, 500];
    endpoint.respond((_, response) => response.writeHead(statuses.shift() ?? 204).end());
    const texts = ['1', '2', '3', '4'];
    await Promise.all(
      texts.map((text) => topic.publishMessage({ data: Buffer.from(text), orderingKey: 'key' })),
    );

    const arrivals = await endpoint.arrived(6);

    assert.deepEqual(
      arrivals.map(({ body }) => readData(body)),
      ['1', '1', '1', '2', '3', '4'],
    );
  });

  it('do not hold up one key while another fails', async () => {
    const topic = await subscribe({
      enableMessageOrdering: true,
      retryPolicy: { minimumBackoff: { seconds: 60 } },
    });
    endpoint.respond(({ body }, response) => {
      response.writeHead(body.message.orderingKey === 'bad' ? 500 : 204).end();
    });
    await topic.publishMessage({ data: Buffer.from('x'), orderingKey: 'bad' });
    await endpoint.arrived(1);
    await topic.publishMessage({ data: Buffer.from('y'), orderingKey: 'good' });

    assert.equal((await endpoint.arrived(2))[1]?.body.message.orderingKey, 'good');
  });

  it('break off a push that hangs when the stand-in stops', async () => {
    const topic = await subscribe();
    const broken = new Promise((resolve) => {
      endpoint.respond((_, response) => response.on('close', resolve));
    });
    await topic.publishMessage({ data: Buffer.from('x') });
    await endpoint.arrived(1);

    await running().standIn.stop();
    await broken;
  });

  it('are broken off when they are deleted', async () => {
    const topic = await subscribe();
    const broken = new Promise((resolve) => {
      endpoint.respond((_, response) => response.on('close', resolve));
    });
    await topic.publishMessage({ data: Buffer.from('x') });
    await endpoint.arrived(1);

    await running().client.subscription('capture').delete();
    await broken;
  });

  it('refuse an endpoint that is no URL', async () => {
    await assert.rejects(subscribe({ pushEndpoint: 'localhost' }), { code: 3, message: /pushEndpoint/ });
  });

  it('say so when they are asked for what the stand-in does not have', async () => {
    const [topic] = await running().client.createTopic('orders');

    await assert.rejects(topic.createSubscription('some', { filter: 'attributes:x' }), { code: 12 });
  });
});

describe('the delay of a redelivery', () => {
  const policy = (retryPolicy: Parameters<typeof retryDelayMillis>[0]['retryPolicy'], pushEndpoint = '') => ({
    retryPolicy,
    pushConfig: { pushEndpoint },
  });

  it('doubles from the minimum to the maximum', () => {
    const settings = policy({ minimumBackoff: millis(100), maximumBackoff: millis(500) });

    const delays = [1, 2, 3, 4, 2000].map((failures) => retryDelayMillis(settings, failures));

    assert.deepEqual(delays, [100, 200, 400, 500, 500]);
  });

  it('is 10 to 600 seconds when the policy does not say', () => {
    const settings = policy({ minimumBackoff: null, maximumBackoff: null });

    assert.deepEqual(
      [1, 100].map((failures) => retryDelayMillis(settings, failures)),
      [10_000, 600_000],
    );
  });

  it('is nothing for a pull subscription without a policy', () => {
    assert.equal(retryDelayMillis(policy(null), 3), 0);
  });

  it('spares a failing endpoint even without a policy', () => {
    assert.equal(retryDelayMillis(policy(null, 'http://127.0.0.1/'), 1), 100);
  });
});
