import type { Guard } from '../guard.ts';
import type { MessageFacts } from '../message-facts.ts';
import { readRecord } from './kafka-record.ts';

type Bytes = Uint8Array | string;

/** A message of `@platformatic/kafka`, without deserializers of objects. */
export type PlatformaticMessage = {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly timestamp: bigint;
  readonly key?: Bytes | null;
  readonly value?: Bytes | null;
  readonly headers: ReadonlyMap<Bytes, Bytes>;
  /** All headers, of which a map keeps only the last of a repeated name. */
  readonly headerEntries?: readonly (readonly [Bytes, Bytes])[];
  commit(): void | Promise<void>;
};

/**
 * For each message of a stream with `autocommit: false`: commits one that was handled or reported. Throws
 * for any other, so that its offset stays.
 */
export function wrapPlatformaticKafka(guard: Guard) {
  return <Message extends PlatformaticMessage>(handler: (message: Message) => unknown) =>
    async (message: Message): Promise<void> => {
      const settled = await guard(
        () => handler(message),
        () => readMessage(message),
      );
      if (settled.is === 'left') throw settled.error;
      await message.commit();
    };
}

function readMessage({
  headers,
  headerEntries,
  offset,
  timestamp,
  ...message
}: PlatformaticMessage): MessageFacts {
  const { topic, partition, key, value } = message;
  const entries = [...(headerEntries ?? headers)].map(
    ([name, each]) => [Buffer.from(name).toString(), each] as const,
  );
  const record = { topic, partition, key, value, headers: entries };
  return readRecord({ ...record, offset: `${offset}`, timestamp: Number(timestamp) });
}
