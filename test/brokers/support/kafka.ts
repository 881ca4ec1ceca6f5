import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Admin, Consumer, compatibilityPartitioner, Producer } from '@platformatic/kafka';
import { waitFor } from './start-program.ts';

export type Header = readonly [name: string, value: Buffer | null];

/** A record in bytes; null is no key, a tombstone, or a header without a value. */
export type Message = {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly Header[];
  /** In ms; default: now. */
  readonly timestamp?: number;
};

export type KafkaRecord = Required<Message> & {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
};

const bootstrap = () => [process.env.BOOTSTRAP ?? ''];

/** Without it a share group writes no dead letters to a topic, and says nothing. */
const acceptsShareGroups = { name: 'errors.deadletterqueue.group.enable', value: 'true' };

/** Creates the topics that the software of another source has not created yet. */
export async function createTopics(topics: readonly string[], partitions: number): Promise<void> {
  const admin = new Admin({ clientId: 'suite', bootstrapBrokers: bootstrap() });
  try {
    const known = await admin.listTopics();
    const missing = topics.filter((each) => !known.includes(each));
    if (missing.length === 0) return;
    await admin.createTopics({ topics: missing, partitions, replicas: 1, configs: [acceptsShareGroups] });
  } finally {
    await admin.close();
  }
}

/** Produces messages in their order; the key decides the partition as it does for clients in Java. */
export async function produce(topic: string, messages: readonly Message[]): Promise<void> {
  const producer = new Producer({
    clientId: 'suite',
    bootstrapBrokers: bootstrap(),
    partitioner: compatibilityPartitioner,
  });
  try {
    for (const { key, value, headers, timestamp } of messages) {
      // The client writes null for undefined. Buffers as keys of the map keep repeated names apart.
      const message = {
        topic,
        ...(key && { key }),
        ...(value && { value }),
        headers: new Map(headers.map(([name, bytes]) => [Buffer.from(name), bytes as Buffer])),
        ...(timestamp !== undefined && { timestamp: BigInt(timestamp) }),
      };
      await producer.send({ messages: [message], acks: -1 });
    }
  } finally {
    await producer.close();
  }
}

/** The offset that a group has committed for the only partition of its topic; undefined for none. */
export async function readCommitted(group: string): Promise<number | undefined> {
  const admin = new Admin({ clientId: 'suite', bootstrapBrokers: bootstrap() });
  try {
    const [found] = await admin.listConsumerGroupOffsets({ groups: [group] });
    const committed = Number(found?.topics[0]?.partitions[0]?.committedOffset ?? -1);
    return committed < 0 ? undefined : committed;
  } finally {
    await admin.close();
  }
}

/** Waits until a topic has `count` records, and returns all of them by partition and offset. */
export async function readTopic(topic: string, count: number): Promise<KafkaRecord[]> {
  let records: KafkaRecord[] = [];
  await waitFor(`${topic} had ${count} records`, async () => {
    records = await readOnce(topic);
    return records.length >= count;
  });
  return records.sort((a, b) => a.partition - b.partition || a.offset - b.offset);
}

/** Reads up to the present end, for up to 15 s. */
async function readOnce(topic: string): Promise<KafkaRecord[]> {
  const options = { clientId: 'suite', groupId: randomUUID(), bootstrapBrokers: bootstrap() };
  const consumer = new Consumer(options);
  const records: KafkaRecord[] = [];
  try {
    const ends = (await consumer.listOffsets({ topics: [topic] })).get(topic) ?? [];
    const total = ends.reduce((sum, end) => sum + Number(end), 0);
    const stream = await consumer.consume({
      topics: [topic],
      mode: 'earliest',
      autocommit: false,
      maxWaitTime: 100,
    });
    stream.on('data', ({ key, value, headerEntries, timestamp, partition, offset }) =>
      records.push({
        topic,
        partition,
        offset: Number(offset),
        key: key ?? null,
        value: value ?? null,
        headers: headerEntries.map(([name, bytes]) => [name.toString(), bytes ?? null]),
        timestamp: Number(timestamp),
      }),
    );
    const endsAt = Date.now() + 15_000;
    while (records.length < total && Date.now() < endsAt) await pause(50);
    return records;
  } finally {
    await consumer.close(true);
  }
}
