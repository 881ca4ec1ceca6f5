import type { Guard } from '../guard.ts';
import type { MessageFacts } from '../message-facts.ts';
import { readRecord } from './kafka-record.ts';

type Bytes = Uint8Array | string;

type KafkaJsMessage = {
  readonly key?: Bytes | null;
  readonly value: Bytes | null;
  readonly headers?: Readonly<Record<string, Bytes | readonly Bytes[] | undefined>> | undefined;
  readonly offset: string;
  readonly timestamp: string;
};

/** The argument of `eachMessage` in KafkaJS and `@confluentinc/kafka-javascript`. */
export type KafkaJsPayload<Message extends KafkaJsMessage = KafkaJsMessage> = {
  readonly topic: string;
  readonly partition: number;
  readonly message: Message;
};

/** The argument of their `eachBatch`. */
export type KafkaJsBatch<Message extends KafkaJsMessage> = {
  readonly batch: Omit<KafkaJsPayload, 'message'> & { readonly messages: readonly Message[] };
  resolveOffset(offset: string): void;
  commitOffsetsIfNecessary(): Promise<void>;
  heartbeat(): Promise<void>;
  isRunning(): boolean;
  isStale(): boolean;
};

/** For `eachMessage`: throws if the failure was not reported, so that the offset stays where it is. */
export function wrapKafkaJs(guard: Guard) {
  return <Payload extends KafkaJsPayload>(handler: (payload: Payload) => unknown) =>
    async (payload: Payload): Promise<void> => {
      const settled = await guard(
        () => handler(payload),
        () => readPayload(payload),
      );
      // KafkaJS stops for good at a TypeError and its like. At an Error it delivers the message again.
      if (settled.is === 'left')
        throw new Error('Kafka delivers the message again.', { cause: settled.error });
    };
}

/**
 * For `run()`: hands over the messages of a batch one by one, and resolves the offset of each, so that a
 * batch which ends early, by a failure that was not reported or a rebalance, is continued after the last one.
 */
export function wrapKafkaJsBatch(guard: Guard) {
  return <Message extends KafkaJsMessage>(handler: (payload: KafkaJsPayload<Message>) => unknown) => {
    const handle = wrapKafkaJs(guard)(handler);
    const eachBatch = async ({ batch, ...broker }: KafkaJsBatch<Message>): Promise<void> => {
      const { topic, partition, messages } = batch;
      for (const message of messages) {
        if (!broker.isRunning() || broker.isStale()) return;
        await handle({ topic, partition, message });
        broker.resolveOffset(message.offset);
        await broker.commitOffsetsIfNecessary();
        await broker.heartbeat();
      }
    };
    return { eachBatchAutoResolve: false, eachBatch } as const;
  };
}

function readPayload({ topic, partition, message }: KafkaJsPayload): MessageFacts {
  const { key, value, headers = {}, offset, timestamp } = message;
  const entries = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((each) => [name, each] as const),
  );
  return readRecord({ topic, partition, offset, key, value, headers: entries, timestamp: Number(timestamp) });
}
