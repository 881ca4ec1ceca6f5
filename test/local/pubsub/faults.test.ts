import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { subscriptionName, usePubSub } from './use-pubsub.ts';

const cancelled = { code: 1 };
const deadlineExceeded = { code: 4 };
const unavailable = { code: 14 };
const noRetries = { retry: { retryCodes: [] } };
const data = Buffer.from('x');

describe('faults of the stand-in', () => {
  const running = usePubSub();

  const createTopic = async (gaxOpts: object) => {
    const [topic] = await running().client.createTopic('orders');
    topic.setPublishOptions({ gaxOpts });
    return topic;
  };

  it('make a method answer the status they name', async () => {
    const topic = await createTopic(noRetries);
    running().standIn.failNext('Publish', { code: 'UNAVAILABLE' });

    await assert.rejects(topic.publishMessage({ data }), unavailable);
    assert.equal(running().standIn.messages(topic.name).length, 0);
  });

  it('end after as many calls as they were planned for', async () => {
    const topic = await createTopic(noRetries);
    running().standIn.failNext('Publish', { code: 'UNAVAILABLE', count: 2 });

    await assert.rejects(topic.publishMessage({ data }), unavailable);
    await assert.rejects(topic.publishMessage({ data }), unavailable);
    await topic.publishMessage({ data });
  });

  it('are overcome by the retries of the client', async () => {
    const topic = await createTopic({ timeout: 10_000 });
    running().standIn.failNext('Publish', { code: 'UNAVAILABLE' });

    await topic.publishMessage({ data });
    assert.equal(running().standIn.messages(topic.name).length, 1);
  });

  it('can be taken back', async () => {
    const topic = await createTopic(noRetries);
    running().standIn.failNext('Publish', { code: 'UNAVAILABLE', count: Number.POSITIVE_INFINITY });
    await assert.rejects(topic.publishMessage({ data }), unavailable);
    running().standIn.failNext('Publish', { code: 'UNAVAILABLE', count: 0 });

    await topic.publishMessage({ data });
  });

  it('can leave a call without an answer', async () => {
    const topic = await createTopic({ ...noRetries, timeout: 200 });
    running().standIn.failNext('Publish', { code: 'HANG' });

    await assert.rejects(topic.publishMessage({ data }), deadlineExceeded);
    assert.equal(running().standIn.messages(topic.name).length, 0);
  });

  it('can lose the answer of a call that was carried out', async () => {
    const topic = await createTopic({ ...noRetries, timeout: 200 });
    running().standIn.failNext('Publish', { code: 'HANG', afterwards: true });

    await assert.rejects(topic.publishMessage({ data }), deadlineExceeded);
    assert.equal(running().standIn.messages(topic.name).length, 1);
  });

  it('hit streams too', async () => {
    const topic = await createTopic({});
    const [work] = await topic.createSubscription('work');
    running().standIn.failNext('StreamingPull', {
      code: 'PERMISSION_DENIED',
      count: Number.POSITIVE_INFINITY,
    });
    const failure = once(work, 'error');
    work.on('message', () => {});

    assert.equal((await failure)[0].code, 7);
  });
});

describe('stopping the stand-in', () => {
  const running = usePubSub();

  it('breaks off a call that hangs', async () => {
    const { client, standIn, subscriber } = running();
    const [topic] = await client.createTopic('orders');
    await topic.createSubscription('work');
    topic.setPublishOptions({ gaxOpts: noRetries });
    standIn.failNext('Publish', { code: 'HANG', afterwards: true });
    const failure = assert.rejects(topic.publishMessage({ data }), cancelled);
    await subscriber.pull({ subscription: subscriptionName('work'), maxMessages: 1 });

    await standIn.stop();
    await failure;
  });

  it('leaves no timers', async () => {
    const { client, standIn, subscriber } = running();
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const timersBefore = countTimers();
    const [topic] = await client.createTopic('orders');
    await topic.createSubscription('work');
    await topic.publishMessage({ data });
    await subscriber.pull({ subscription: subscriptionName('work'), maxMessages: 1 });

    await client.close();
    await subscriber.close();
    await standIn.stop();

    assert.equal(countTimers(), timersBefore);
  });

  it('frees the port', async () => {
    const { standIn } = running();
    await standIn.stop();

    const socket = connect(Number(standIn.host.split(':')[1]), '127.0.0.1');
    const [error] = await once(socket, 'error');
    assert.equal(error.code, 'ECONNREFUSED');
  });
});
