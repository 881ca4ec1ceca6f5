import { PubSub } from '@google-cloud/pubsub';
import type { Carrier, Way } from './carry-by-bridge.ts';
import type { TlsDoor } from './open-tls-door.ts';
import { describeBytes, scrubJson } from './recording.ts';
import { type Connect, createConnector } from './start-connect.ts';
import { type Program, waitFor } from './start-program.ts';
import { startRecorder } from './start-recorder.ts';

// Even a client of an emulator looks for credentials, and would ask a metadata server that does not exist
// here.
process.env.METADATA_SERVER_DETECTION = 'none';

/** Pub/Sub at a plain port, the door before it, and the worker in which Google's connector runs. */
export type PubSubWay = Way & { readonly host: string; readonly door: TlsDoor; readonly worker: Connect };

/**
 * Google's connector publishes the dead letters, and a push subscription brings them to capture
 * (docs/capture.md). It pushes only while they are carried: a record that failed again during its replay
 * would hold back the later ones of its key.
 */
export async function carryByPush(way: PubSubWay): Promise<Carrier> {
  const recorder = await startRecorder(way.capture);
  const subscription = await connectPubSub(way);
  const pushTo = (pushEndpoint: string) =>
    useClient(way.host, (client) => client.subscription(subscription).modifyPushConfig({ pushEndpoint }));
  const carried = new Set<string>();
  const carry = async (count: number, program: Program) => {
    /** By their ids: a message may be pushed twice. */
    const next = new Map<string, Pushed>();
    const isComplete = () => {
      for (const { message } of recorder.posted as readonly { message: Pushed }[])
        if (!carried.has(message.messageId)) next.set(message.messageId, message);
      return next.size >= count;
    };
    await pushTo(recorder.url);
    await waitFor(`${count} messages were pushed`, isComplete, { program });
    await pushTo('');
    for (const id of next.keys()) carried.add(id);
    const messages = [...next.values()];
    return describeMessages(messages.map((each) => ({ ...each, data: Buffer.from(each.data, 'base64') })));
  };
  return { carry };
}

type Pushed = { readonly messageId: string; readonly data: string; readonly attributes: object };

/** Without the positions of the dead letters: those without a key are in any partition. */
function describeMessages(
  messages: readonly { readonly data: Buffer; readonly attributes: object }[],
): object[] {
  const described = messages.map(({ data, attributes }) => {
    const names = Object.keys(attributes).sort();
    const sorted = { ...Object.fromEntries(names.map((name) => [name, ''])), ...attributes };
    return {
      data: describeBytes(data),
      attributes: { ...sorted, 'kafka.partition': 'any', 'kafka.offset': 'any' },
    };
  });
  return scrubJson(described);
}

/** Creates the topic, its subscription, and the connector with the settings of docs/send.md. */
async function connectPubSub({ topic, host, door, worker }: PubSubWay): Promise<string> {
  const subscription = await useClient(host, async (client) => {
    const [created] = await client.createTopic(topic);
    const [{ name }] = await created.createSubscription(`${topic}-capture`);
    return name;
  });
  const text = 'org.apache.kafka.connect.storage.StringConverter';
  await createConnector(worker, `${topic}-to-pubsub`, {
    'connector.class': 'com.google.pubsub.kafka.sink.CloudPubSubSinkConnector',
    topics: topic,
    'cps.project': 'acme',
    'cps.topic': topic,
    'cps.endpoint': door.endpoint,
    'gcp.credentials.file.path': door.credentials,
    'metadata.publish': 'true',
    'headers.publish': 'true',
    'key.converter': text,
    'header.converter': text,
    'value.converter': 'org.apache.kafka.connect.converters.ByteArrayConverter',
    // A header without a value stops the task.
    transforms: 'drop',
    'transforms.drop.type': 'org.apache.kafka.connect.transforms.DropHeaders',
    'transforms.drop.headers': 'nothing',
  });
  return subscription;
}

async function useClient<Result>(host: string, work: (client: PubSub) => Promise<Result>): Promise<Result> {
  const client = new PubSub({ projectId: 'acme', apiEndpoint: host });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
