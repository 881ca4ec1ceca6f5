import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import type { CreateSubscriptionOptions } from '@google-cloud/pubsub';
import { receive, subscriptionName, usePubSub } from './use-pubsub.ts';

const soon = { minimumBackoff: { seconds: 0, nanos: 1_000_000 }, maximumBackoff: { seconds: 1 } };

describe('pull subscriptions of the stand-in', () => {
  const running = usePubSub();
  const subscription = subscriptionName('work');

  const subscribe = async (options: CreateSubscriptionOptions = {}) => {
    const [topic] = await running().client.createTopic('orders');
    const [work] = await topic.createSubscription('work', options);
    return { topic, work };
  };

  const pull = async (maxMessages = 10) => {
    const [{ receivedMessages }] = await running().subscriber.pull({ subscription, maxMessages });
    return (receivedMessages ?? []).map(({ ackId, message, deliveryAttempt }) => ({
      ackId: ackId ?? '',
      text: String(message?.data),
      deliveryAttempt,
    }));
  };

  const peek = async () => {
    const request = { subscription, maxMessages: 10, returnImmediately: true };
    const [{ receivedMessages }] = await running().subscriber.pull(request);
    return receivedMessages?.length;
  };

  const modifyDeadline = (ackIds: string[], ackDeadlineSeconds: number) =>
    running().subscriber.modifyAckDeadline({ subscription, ackIds, ackDeadlineSeconds });

  it('stream messages to the client whole', async () => {
    const { topic, work } = await subscribe();
    const arrival = receive(work, 1, (message) => message.ack());
    const data = Buffer.from([0, 255, 10]);
    const id = await topic.publishMessage({ data, attributes: { name: 'value' }, orderingKey: 'key' });

    const [message] = await arrival;
    await work.close();

    assert.deepEqual(
      [message?.id, message?.data, message?.attributes, message?.orderingKey],
      [id, data, { name: 'value' }, 'key'],
    );
    const { publishTime } = running().standIn.messages(topic.name)[0] ?? {};
    assert.equal(message?.publishTime.getTime(), publishTime?.getTime());
  });

  it('do not deliver again what a stream acknowledged', async () => {
    const { topic, work } = await subscribe({ retryPolicy: soon });
    await topic.publishMessage({ data: Buffer.from('x') });

    await receive(work, 1, (message) => message.ack());
    // Closing sends the acknowledgement, and gives back whatever was not acknowledged.
    await work.close();

    await topic.publishMessage({ data: Buffer.from('next') });
    assert.deepEqual(
      (await pull()).map(({ text }) => text),
      ['next'],
    );
  });

  it('keep a stream open that only sends keepalives', async () => {
    const { subscriber } = running();
    await subscribe();
    const stream = subscriber.streamingPull();
    stream.write({ subscription, streamAckDeadlineSeconds: 10 });
    await once(stream, 'data');
    stream.write({});

    const [answer] = await once(stream, 'data');
    stream.end();
    stream.destroy();

    assert.deepEqual(answer.receivedMessages, []);
  });

  it('hand a stream no more than it can hold', async () => {
    const { topic } = await subscribe();
    const work = running().client.subscription('work', { flowControl: { maxMessages: 1 } });
    for (const text of ['a', 'b', 'c']) await topic.publishMessage({ data: Buffer.from(text) });
    const [first] = await receive(work, 1, () => {});

    assert.equal(String(first?.data), 'a');
    assert.deepEqual(
      (await pull()).map(({ text }) => text),
      ['b', 'c'],
    );
    await work.close();
  });

  it('redeliver what a stream gave back', async () => {
    const { topic, work } = await subscribe({ retryPolicy: soon });
    await topic.publishMessage({ data: Buffer.from('x') });

    const [first, second] = await receive(work, 2, (message, count) => {
      if (count === 1) message.nack();
      else message.ack();
    });
    await work.close();

    assert.equal(first?.id, second?.id);
  });

  it('end the stream of a subscription that is deleted', async () => {
    const { topic, work } = await subscribe();
    await topic.publishMessage({ data: Buffer.from('x') });
    await receive(work, 1, (message) => message.ack());
    const failure = once(work, 'error');
    await running().client.subscription('work').delete();

    assert.equal((await failure)[0].code, 5);
  });

  it('deliver the messages of one key in order, though one of them fails at first', async () => {
    const { topic, work } = await subscribe({ enableMessageOrdering: true, retryPolicy: soon });
    const texts = ['1', '2', '3', '4'];
    await Promise.all(
      texts.map((text) => topic.publishMessage({ data: Buffer.from(text), orderingKey: 'key' })),
    );

    const messages = await receive(work, 5, (message, count) => {
      if (count === 2) message.nack();
      else message.ack();
    });
    await work.close();

    const arrived = messages.map(({ data }) => String(data));
    assert.deepEqual(arrived, ['1', '2', '2', '3', '4']);
  });

  it('answer a single pull as soon as there is a message', async () => {
    const { topic } = await subscribe();
    const pulled = pull();
    await topic.publishMessage({ data: Buffer.from('x') });

    assert.deepEqual(
      (await pulled).map(({ text }) => text),
      ['x'],
    );
  });

  it('hide a message while it is leased', async () => {
    const { topic } = await subscribe();
    await topic.publishMessage({ data: Buffer.from('x') });
    await pull();

    assert.equal(await peek(), 0);
  });

  it('redeliver a message when its deadline is over', async () => {
    const { topic } = await subscribe();
    await topic.publishMessage({ data: Buffer.from('x') });
    const [leased] = await pull();
    await modifyDeadline([leased?.ackId ?? ''], 1);

    assert.deepEqual(
      (await pull()).map(({ text }) => text),
      ['x'],
    );
  });

  it('ignore an acknowledgement that comes after the message was given back', async () => {
    const { topic } = await subscribe({ enableMessageOrdering: true });
    for (const text of ['x', 'next'])
      await topic.publishMessage({ data: Buffer.from(text), orderingKey: 'key' });
    const [leased] = await pull();
    await modifyDeadline([leased?.ackId ?? ''], 0);
    await running().subscriber.acknowledge({ subscription, ackIds: [leased?.ackId ?? ''] });

    const texts = (await pull()).map(({ text }) => text);
    assert.deepEqual(texts, ['x']);
  });

  it('do not count attempts without a dead letter policy', async () => {
    const { topic } = await subscribe();
    await topic.publishMessage({ data: Buffer.from('x') });

    assert.equal((await pull())[0]?.deliveryAttempt, 0);
  });

  it('tell their settings, defaults included', async () => {
    const { work } = await subscribe({ enableMessageOrdering: true });

    const [settings] = await work.getMetadata();

    assert.equal(settings.ackDeadlineSeconds, 10);
    assert.equal(settings.enableMessageOrdering, true);
  });

  it('refuse a deadline that the real service refuses', async () => {
    await assert.rejects(subscribe({ ackDeadlineSeconds: 5 }), { code: 3, message: /ackDeadlineSeconds/ });
  });

  it('refuse a pull when they push', async () => {
    await subscribe({ pushEndpoint: 'http://127.0.0.1:9/' });

    await assert.rejects(pull(), { code: 9 });
  });
});
