import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CreateSubscriptionOptions } from '@google-cloud/pubsub';
import { useEndpoint } from './use-endpoint.ts';
import { receive, topicName, usePubSub } from './use-pubsub.ts';

describe('dead lettering by the stand-in', () => {
  const running = usePubSub();
  const endpoint = useEndpoint();

  /** A subscription that dead-letters after five attempts into the topic `dead`, which is pushed to the endpoint. */
  const subscribe = async (options: CreateSubscriptionOptions = {}) => {
    const { client } = running();
    const [dead] = await client.createTopic('dead');
    await dead.createSubscription('capture', { pushEndpoint: endpoint.url() });
    const [topic] = await client.createTopic('orders');
    const [billing] = await topic.createSubscription('billing', {
      deadLetterPolicy: { deadLetterTopic: dead.name, maxDeliveryAttempts: 5 },
      retryPolicy: { minimumBackoff: { seconds: 0, nanos: 1_000_000 } },
      ...options,
    });
    return { topic, billing };
  };

  const failBilling = () =>
    endpoint.respond(({ body }, response) => {
      response.writeHead(body.subscription.endsWith('/billing') ? 500 : 204).end();
    });

  it('makes a new message of one that failed as often as allowed', async () => {
    failBilling();
    const { topic } = await subscribe({ pushEndpoint: endpoint.url() });
    const message = {
      data: Buffer.from('{"id":1}'),
      attributes: { event_type: 'order' },
      orderingKey: 'customer-7',
    };
    const messageId = await topic.publishMessage(message);

    const arrivals = await endpoint.arrived(6);

    const ids = arrivals.map(({ body }) => body.message.messageId);
    assert.deepEqual(ids.slice(0, 5), Array(5).fill(messageId));
    assert.notEqual(ids[5], messageId);
    const [copy] = running().standIn.messages(topicName('dead'));
    assert.equal(copy?.messageId, ids[5]);
    assert.deepEqual(copy?.data, message.data);
    assert.equal(copy?.orderingKey, 'customer-7');
  });

  it('tells in attributes where the message came from', async () => {
    failBilling();
    const { topic } = await subscribe({ pushEndpoint: endpoint.url() });
    await topic.publishMessage({ data: Buffer.from('x'), attributes: { event_type: 'order.created' } });

    const arrivals = await endpoint.arrived(6);

    const publishTime = running().standIn.messages(topic.name)[0]?.publishTime.toISOString() ?? '';
    assert.deepEqual(arrivals[5]?.body.message.attributes, {
      event_type: 'order.created',
      CloudPubSubDeadLetterSourceDeliveryCount: '5',
      CloudPubSubDeadLetterSourceSubscription: 'billing',
      CloudPubSubDeadLetterSourceSubscriptionProject: 'acme',
      CloudPubSubDeadLetterSourceTopicPublishTime: `${publishTime.slice(0, -1)}+00:00`,
    });
  });

  it('counts what a puller gave back', async () => {
    const { topic, billing } = await subscribe();
    await topic.publishMessage({ data: Buffer.from('x') });
    const messages = await receive(billing, 5, (message) => message.nack());

    const [arrival] = await endpoint.arrived(1);
    await billing.close();

    assert.deepEqual(
      messages.map(({ deliveryAttempt }) => deliveryAttempt),
      [1, 2, 3, 4, 5],
    );
    assert.equal(arrival?.body.message.attributes?.CloudPubSubDeadLetterSourceDeliveryCount, '5');
  });

  it('lets the next message of the key follow', async () => {
    failBilling();
    const { topic } = await subscribe({ pushEndpoint: endpoint.url(), enableMessageOrdering: true });
    for (const text of ['a', 'b'])
      await topic.publishMessage({ data: Buffer.from(text), orderingKey: 'key' });

    await endpoint.arrived(12);

    const texts = running()
      .standIn.messages(topicName('dead'))
      .map(({ data }) => String(data));
    assert.deepEqual(texts, ['a', 'b']);
  });

  it('keeps the message when the dead letter topic is gone', async () => {
    failBilling();
    const { topic } = await subscribe({ pushEndpoint: endpoint.url() });
    await running().client.topic('dead').delete();
    await topic.publishMessage({ data: Buffer.from('x') });

    const arrivals = await endpoint.arrived(6);
    assert.equal(arrivals[5]?.body.deliveryAttempt, 6);
  });

  it('needs a topic that exists', async () => {
    const deadLetterPolicy = { deadLetterTopic: topicName('nowhere'), maxDeliveryAttempts: 5 };

    await assert.rejects(subscribe({ deadLetterPolicy }), { code: 5, message: /nowhere/ });
  });

  it('needs at least five attempts, as the real service does', async () => {
    const deadLetterPolicy = { deadLetterTopic: topicName('dead'), maxDeliveryAttempts: 4 };

    await assert.rejects(subscribe({ deadLetterPolicy }), { code: 3, message: /maxDeliveryAttempts/ });
  });
});
