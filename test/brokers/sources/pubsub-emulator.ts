import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PubSub, type Topic, v1 } from '@google-cloud/pubsub';
import { type PubSubStandIn, startPubSub } from '../../support/pubsub/start-pubsub.ts';
import { emulatorIsMissing, startEmulator } from '../support/start-emulator.ts';

process.env.METADATA_SERVER_DETECTION = 'none';

type Message = Parameters<Topic['publishMessage']>[0];
const data = Buffer.from([0, 255, 10, 195, 40]);

const messages: Readonly<Record<string, Message>> = {
  'bytes that are no text': { data },
  'attributes with any characters': { data, attributes: { ключ: '\u0000 é \uFFFD', empty: '' } },
  'attributes alone': { attributes: { type: 'order.created' } },
  'an ordering key': { data, orderingKey: 'customer-7' },
  'neither data nor attributes': { data: Buffer.alloc(0) },
  '10 MB': { data: Buffer.alloc(10 * 1024 * 1024) },
};

/**
 * The service rejects them (https://cloud.google.com/pubsub/quotas), and so does the stand-in; the emulator
 * does not.
 */
const overLimits: Readonly<Record<string, Message>> = {
  'an attribute of 1,025 bytes': { data, attributes: { name: 'x'.repeat(1025) } },
  'a name of 257 bytes': { data, attributes: { ['x'.repeat(257)]: '' } },
};

describe("the Pub/Sub stand-in beside Google's emulator", { skip: emulatorIsMissing }, () => {
  let standIn: PubSubStandIn;
  let clients: readonly PubSub[];

  before(async () => {
    standIn = await startPubSub();
    const hosts = [standIn.host, await startEmulator()];
    clients = hosts.map((apiEndpoint) => new PubSub({ projectId: 'acme', apiEndpoint }));
  });

  after(async () => {
    for (const client of clients) await client.close();
    await standIn.stop();
  });

  /** The outcome with the stand-in, and that with the emulator. */
  const compare = (work: (client: PubSub) => Promise<unknown>) =>
    Promise.all(clients.map((client) => work(client).catch(({ code }) => ({ code }))));

  for (const [title, message] of Object.entries(messages)) {
    it(`takes and returns a message as the emulator does: ${title}`, async () => {
      const [ours, theirs] = await compare((client) => roundTrip(client, message));
      assert.deepEqual(ours, theirs);
    });
  }

  for (const [title, message] of Object.entries(overLimits)) {
    it(`rejects a message over a limit of the service, which the emulator ignores: ${title}`, async () => {
      const [ours, theirs] = await compare((client) => roundTrip(client, message));
      assert.deepEqual(ours, { code: 3 });
      assert.notDeepEqual(theirs, { code: 3 });
    });
  }

  it('hands out the messages of a key in their order, and the next ones after an acknowledgement', async () => {
    const [ours, theirs] = await compare(pullInOrder);
    assert.deepEqual(ours, theirs);
  });

  it('rejects a list of the subscriptions of an unknown topic, which is empty in the emulator', async () => {
    const [ours, theirs] = await compare((client) => client.topic('missing').getSubscriptions());
    assert.deepEqual(ours, { code: 5 });
    assert.deepEqual(theirs, [[], {}, { subscriptions: [], nextPageToken: '' }]);
  });

  it('answers with the same codes', async () => {
    const calls: readonly ((client: PubSub) => Promise<unknown>)[] = [
      (client) => client.topic('missing').publishMessage({ data }),
      (client) => client.createTopic('taken').then(() => client.createTopic('taken')),
      (client) => client.createTopic('x'),
      (client) => client.topic('missing').createSubscription('any'),
    ];
    for (const call of calls) {
      const [ours, theirs] = await compare(call);
      assert.deepEqual(ours, theirs, `${call}`);
    }
  });
});

let created = 0;

async function createPair(client: PubSub) {
  created += 1;
  const [topic] = await client.createTopic(`orders-${created}`);
  const options = { enableMessageOrdering: true };
  const [{ name: subscription }] = await topic.createSubscription(`billing-${created}`, options);
  return { topic, subscription };
}

/** Publishes a message, and pulls it without what the server adds. */
async function roundTrip(client: PubSub, message: Message) {
  const { topic, subscription } = await createPair(client);
  topic.setPublishOptions({ messageOrdering: message.orderingKey !== undefined });
  await topic.publishMessage(message);
  return pullOne(client, subscription);
}

/** Pulls one message after the other, each after the one before was acknowledged. */
async function pullInOrder(client: PubSub) {
  const { topic, subscription } = await createPair(client);
  topic.setPublishOptions({ messageOrdering: true });
  for (const number of ['1', '2', '3', '4'])
    await topic.publishMessage({ data: Buffer.from(number), orderingKey: 'customer-7' });
  const texts: string[] = [];
  while (texts.length < 4) texts.push(`${(await pullOne(client, subscription)).data}`);
  return texts;
}

/** Pulls and acknowledges a message, and returns it without what the server adds. */
async function pullOne(client: PubSub, subscription: string) {
  const options = (await client.getClientConfig()) as ConstructorParameters<typeof v1.SubscriberClient>[0];
  const subscriber = new v1.SubscriberClient(options);
  try {
    const [{ receivedMessages }] = await subscriber.pull({ subscription, maxMessages: 1 });
    const [received] = receivedMessages ?? [];
    assert.ok(received?.message);
    await subscriber.acknowledge({ subscription, ackIds: [received.ackId ?? ''] });
    const { data, attributes, orderingKey } = received.message;
    return { data: Buffer.from(data ?? ''), attributes, orderingKey };
  } finally {
    await subscriber.close();
  }
}
