import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { waitUntil } from '../wait-until.ts';
import { usePubSub } from './use-pubsub.ts';

const cancelled = { code: 1 };
const deadlineExceeded = { code: 4 };
const unavailable = { code: 14 };
const noRetries = { retry: { retryCodes: [] } };
const data = Buffer.from('x');

describe('a planned fault of the Pub/Sub stand-in', () => {
  const running = usePubSub();

  const createTopic = async (gaxOpts: object) => {
    const [topic] = await running().client.createTopic('orders');
    topic.setPublishOptions({ gaxOpts });
    return topic;
  };

  it('makes a method answer its status', async () => {
    const topic = await createTopic(noRetries);
    running().standIn.failNext('Publish', { code: 'UNAVAILABLE' });

    await assert.rejects(topic.publishMessage({ data }), unavailable);
    assert.equal(running().standIn.messages(topic.name).length, 0);
  });

  it('ends after the planned number of calls', async () => {
    const topic = await createTopic(noRetries);
    running().standIn.failNext('Publish', { code: 'UNAVAILABLE', count: 2 });

    await assert.rejects(topic.publishMessage({ data }), unavailable);
    await assert.rejects(topic.publishMessage({ data }), unavailable);
    await topic.publishMessage({ data });
  });

  it('is retried by the official client', async () => {
    const topic = await createTopic({ timeout: 60_000 });
    running().standIn.failNext('Publish', { code: 'UNAVAILABLE' });

    await topic.publishMessage({ data });
    assert.equal(running().standIn.messages(topic.name).length, 1);
  });

  it('is cancelled by a later one with count 0', async () => {
    const topic = await createTopic(noRetries);
    running().standIn.failNext('Publish', { code: 'UNAVAILABLE', count: Number.POSITIVE_INFINITY });
    await assert.rejects(topic.publishMessage({ data }), unavailable);
    running().standIn.failNext('Publish', { code: 'UNAVAILABLE', count: 0 });

    await topic.publishMessage({ data });
  });

  it('leaves a call unanswered if it hangs', async () => {
    const topic = await createTopic({ ...noRetries, timeout: 2000 });
    running().standIn.failNext('Publish', { code: 'HANG' });

    await assert.rejects(topic.publishMessage({ data }), deadlineExceeded);
    assert.equal(running().standIn.messages(topic.name).length, 0);
  });

  it('loses the answer of a call that was carried out', async () => {
    const topic = await createTopic({ ...noRetries, timeout: 2000 });
    running().standIn.failNext('Publish', { code: 'HANG', afterwards: true });

    await assert.rejects(topic.publishMessage({ data }), deadlineExceeded);
    assert.equal(running().standIn.messages(topic.name).length, 1);
  });
});

describe('stopping the Pub/Sub stand-in', () => {
  const running = usePubSub();

  it('breaks off a hanging call', async () => {
    const { client, standIn } = running();
    const [topic] = await client.createTopic('orders');
    topic.setPublishOptions({ gaxOpts: noRetries });
    standIn.failNext('Publish', { code: 'HANG', afterwards: true });
    const failure = assert.rejects(topic.publishMessage({ data }), cancelled);
    await waitUntil('the call arrives', () => standIn.messages(topic.name).length === 1);

    await standIn.stop();
    await failure;
  });

  it('frees the port', async () => {
    const { standIn } = running();
    await standIn.stop();

    const socket = connect(Number(standIn.host.split(':')[1]), '127.0.0.1');
    const [error] = await once(socket, 'error');
    assert.equal(error.code, 'ECONNREFUSED');
  });
});
