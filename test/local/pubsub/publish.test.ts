import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PubSub } from '@google-cloud/pubsub';
import { startPubSub } from '../../../local/pubsub/start-pubsub.ts';
import { subscriptionName, topicName, usePubSub } from './use-pubsub.ts';

const invalidArgument = { code: 3 };
const notFound = { code: 5 };
const alreadyExists = { code: 6 };

describe('publishing to the stand-in', () => {
  const running = usePubSub();

  const publish = async (message: {
    data?: Buffer;
    attributes?: Record<string, string>;
    orderingKey?: string;
  }) => {
    const { client } = running();
    const [topic] = await client.topic('orders').get({ autoCreate: true });
    return topic.publishMessage(message);
  };

  it('keeps bytes, attributes and ordering key as they were sent', async () => {
    const data = Buffer.from([0, 255, 10, 195, 40]);
    const messageId = await publish({ data, attributes: { ключ: '\u0000 é' }, orderingKey: 'customer-7' });

    const [message] = running().standIn.messages(topicName('orders'));
    assert.ok(message);
    const { publishTime, ...rest } = message;
    assert.deepEqual(rest, { messageId, data, attributes: { ключ: '\u0000 é' }, orderingKey: 'customer-7' });
    assert.ok(Math.abs(Date.now() - publishTime.getTime()) < 10_000);
  });

  it('gives every message a greater id than the one before', async () => {
    const ids = [];
    for (const text of ['a', 'b', 'c']) ids.push(Number(await publish({ data: Buffer.from(text) })));

    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.equal(ids.length, 3);
  });

  it('takes a message that has attributes only', async () => {
    await publish({ attributes: { event_type: 'order.created' } });

    assert.equal(running().standIn.messages(topicName('orders')).length, 1);
  });

  it('takes a message of 10 MB', async () => {
    await publish({ data: Buffer.alloc(10 * 1024 * 1024) });

    assert.equal(running().standIn.messages(topicName('orders'))[0]?.data.length, 10 * 1024 * 1024);
  });

  it('refuses a message over 10 MB', async () => {
    await assert.rejects(publish({ data: Buffer.alloc(10 * 1024 * 1024 + 1) }), invalidArgument);
  });

  it('refuses a message without data and attributes', async () => {
    await assert.rejects(publish({ data: Buffer.alloc(0) }), invalidArgument);
  });

  it('refuses a message with more than 100 attributes', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`name-${i}`, 'value']));

    await assert.rejects(publish({ attributes }), invalidArgument);
  });

  it('refuses an attribute name over 256 bytes', async () => {
    await assert.rejects(
      publish({ attributes: { ['é'.repeat(128).concat('e')]: 'value' } }),
      invalidArgument,
    );
  });

  it('refuses an attribute value over 1024 bytes', async () => {
    await assert.rejects(publish({ attributes: { name: 'é'.repeat(512).concat('e') } }), invalidArgument);
  });

  it('takes attributes that are exactly as long as allowed', async () => {
    await publish({ attributes: { ['é'.repeat(128)]: 'é'.repeat(512) } });

    assert.equal(running().standIn.messages(topicName('orders')).length, 1);
  });

  it('stores nothing of a request in which one message is refused', async () => {
    const { client, standIn } = running();
    const [topic] = await client.createTopic('orders');
    const messages = [{ data: Buffer.from('good') }, { data: Buffer.alloc(0) }];

    await assert.rejects(
      Promise.all(messages.map((message) => topic.publishMessage(message))),
      invalidArgument,
    );
    assert.equal(standIn.messages(topic.name).length, 0);
  });

  it('refuses a topic that does not exist', async () => {
    await assert.rejects(
      running()
        .client.topic('nobody')
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

describe('topics of the stand-in', () => {
  const running = usePubSub();

  it('list their subscriptions', async () => {
    const [orders] = await running().client.createTopic('orders');
    const [others] = await running().client.createTopic('others');
    for (const id of ['billing', 'shipping']) await orders.createSubscription(id);
    await others.createSubscription('archive');

    const [subscriptions] = await orders.getSubscriptions();

    const names = subscriptions.map(({ name }) => name);
    assert.deepEqual(names, [subscriptionName('billing'), subscriptionName('shipping')]);
  });

  it('no longer list a subscription that was deleted', async () => {
    const [topic] = await running().client.createTopic('orders');
    const [subscription] = await topic.createSubscription('billing');
    await subscription.delete();

    assert.deepEqual(await topic.getSubscriptions().then(([subscriptions]) => subscriptions), []);
    await assert.rejects(subscription.getMetadata(), notFound);
  });

  it('are listed by project', async () => {
    for (const name of ['orders', 'projects/other/topics/orders']) await running().client.createTopic(name);

    const [topics] = await running().client.getTopics();

    assert.deepEqual(
      topics.map(({ name }) => name),
      [topicName('orders')],
    );
  });

  it('cannot be created twice', async () => {
    await running().client.createTopic('orders');

    await assert.rejects(running().client.createTopic('orders'), alreadyExists);
  });

  it('are gone once deleted, which their subscriptions tell', async () => {
    const [topic] = await running().client.createTopic('orders');
    const [subscription] = await topic.createSubscription('billing');
    await topic.delete();

    assert.deepEqual(await topic.exists(), [false]);
    const [{ topic: formerTopic }] = await subscription.getMetadata();
    assert.equal(formerTopic, '_deleted-topic_');
  });
});

describe('starting the stand-in', () => {
  it('does not give out the message ids of an earlier start again', async () => {
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

  it('fails when the port is taken', async () => {
    const first = await startPubSub();
    const port = Number(first.host.split(':')[1]);

    await assert.rejects(startPubSub({ port }), /cannot listen on 127\.0\.0\.1/);
    await first.stop();
  });
});
