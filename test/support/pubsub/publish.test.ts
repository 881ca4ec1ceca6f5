import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PubSub } from '@google-cloud/pubsub';
import { startPubSub } from './start-pubsub.ts';
import { subscriptionName, topicName, usePubSub } from './use-pubsub.ts';

const invalidArgument = { code: 3 };
const notFound = { code: 5 };
const alreadyExists = { code: 6 };

describe('publishing to the Pub/Sub stand-in', () => {
  const running = usePubSub();

  const publish = async (message: {
    data?: Buffer;
    attributes?: Record<string, string>;
    orderingKey?: string;
  }) => {
    const { client } = running();
    const [topic] = await client.createTopic('orders').catch(() => [client.topic('orders')] as const);
    return topic.publishMessage(message);
  };

  it('keeps the bytes, attributes and ordering key of a message', async () => {
    const data = Buffer.from([0, 255, 10, 195, 40]);
    const messageId = await publish({ data, attributes: { ключ: '\u0000 é' }, orderingKey: 'customer-7' });

    const [message] = running().standIn.messages(topicName('orders'));
    assert.ok(message);
    const { publishTime, ...rest } = message;
    assert.deepEqual(rest, { messageId, data, attributes: { ключ: '\u0000 é' }, orderingKey: 'customer-7' });
    assert.ok(Math.abs(Date.now() - publishTime.getTime()) < 3_600_000);
  });

  it('gives each message a greater id than the previous one', async () => {
    const ids = [];
    for (const text of ['a', 'b', 'c']) ids.push(Number(await publish({ data: Buffer.from(text) })));

    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.equal(ids.length, 3);
  });

  it('accepts a message with attributes only', async () => {
    await publish({ attributes: { event_type: 'order.created' } });

    assert.equal(running().standIn.messages(topicName('orders')).length, 1);
  });

  it('accepts a message of 10 MB', async () => {
    await publish({ data: Buffer.alloc(10 * 1024 * 1024) });

    assert.equal(running().standIn.messages(topicName('orders'))[0]?.data.length, 10 * 1024 * 1024);
  });

  it('rejects a message over 10 MB', async () => {
    await assert.rejects(publish({ data: Buffer.alloc(10 * 1024 * 1024 + 1) }), invalidArgument);
  });

  it('rejects a message without data and attributes', async () => {
    await assert.rejects(publish({ data: Buffer.alloc(0) }), invalidArgument);
  });

  it('rejects a message with more than 100 attributes', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`name-${i}`, 'value']));

    await assert.rejects(publish({ attributes }), invalidArgument);
  });

  it('rejects an attribute name over 256 bytes', async () => {
    await assert.rejects(
      publish({ attributes: { ['é'.repeat(128).concat('e')]: 'value' } }),
      invalidArgument,
    );
  });

  it('rejects an attribute value over 1024 bytes', async () => {
    await assert.rejects(publish({ attributes: { name: 'é'.repeat(512).concat('e') } }), invalidArgument);
  });

  it('accepts attributes of exactly the allowed length', async () => {
    await publish({ attributes: { ['é'.repeat(128)]: 'é'.repeat(512) } });

    assert.equal(running().standIn.messages(topicName('orders')).length, 1);
  });

  it('stores nothing of a request with one rejected message', async () => {
    const { client, standIn } = running();
    const [topic] = await client.createTopic('orders');
    const messages = [{ data: Buffer.from('good') }, { data: Buffer.alloc(0) }];

    await assert.rejects(
      Promise.all(messages.map((message) => topic.publishMessage(message))),
      invalidArgument,
    );
    assert.equal(standIn.messages(topic.name).length, 0);
  });

  it('rejects a topic that does not exist', async () => {
    await assert.rejects(
      running()
        .client.topic('missing')
        .publishMessage({ data: Buffer.from('x') }),
      notFound,
    );
  });

  it('is found through PUBSUB_EMULATOR_HOST', async () => {
    process.env.PUBSUB_EMULATOR_HOST = running().standIn.host;
    const client = new PubSub({ projectId: 'acme' });
    delete process.env.PUBSUB_EMULATOR_HOST;

    const [topic] = await client.createTopic('orders');
    await client.close();

    assert.equal(topic.name, topicName('orders'));
  });
});

describe('a topic of the Pub/Sub stand-in', () => {
  const running = usePubSub();

  it('lists its subscriptions', async () => {
    const [orders] = await running().client.createTopic('orders');
    const [others] = await running().client.createTopic('others');
    for (const id of ['billing', 'shipping']) await orders.createSubscription(id);
    await others.createSubscription('archive');

    const [subscriptions] = await orders.getSubscriptions();

    const names = subscriptions.map(({ name }) => name);
    assert.deepEqual(names, [subscriptionName('billing'), subscriptionName('shipping')]);
  });

  it('is created only once', async () => {
    await running().client.createTopic('orders');

    await assert.rejects(running().client.createTopic('orders'), alreadyExists);
  });
});

describe('starting the Pub/Sub stand-in', () => {
  it('does not reuse message ids of an earlier start', async () => {
    const ids: number[] = [];
    for (let start = 0; start < 2; start++) {
      const standIn = await startPubSub();
      const client = new PubSub({ projectId: 'acme', apiEndpoint: standIn.host });
      const [topic] = await client.createTopic('orders');
      ids.push(Number(await topic.publishMessage({ data: Buffer.from('x') })));
      await client.close();
      await standIn.stop();
    }

    const [earlier = 0, later = 0] = ids;
    assert.ok(later > earlier, `${earlier}, then ${later}`);
  });
});
