import type { Guard } from '../guard.ts';
import type { MessageFacts } from '../message-facts.ts';
import { readRecord } from './kafka-record.ts';

type Bytes = Uint8Array | string;

/** What KafkaJS, and `@confluentinc/kafka-javascript` as it, pass to `eachMessage`. */
export type KafkaJsPayload = {
  readonly topic: string;
  readonly partition: number;
  readonly message: {
    readonly key?: Bytes | null;
    readonly value: Bytes | null;
    readonly headers?: Readonly<Record<string, Bytes | readonly Bytes[] | undefined>> | undefined;
    readonly offset: string;
    readonly timestamp: string;
  };
};

/** For `eachMessage`: throws what was not reported, so that the offset stays where it is. */
export function wrapKafkaJs(guard: Guard) {
  return <Payload extends KafkaJsPayload>(handler: (payload: Payload) => unknown) =>
    async (payload: Payload): Promise<void> => {
      const settled = await guard(
        () => handler(payload),
        () => readPayload(payload),
      );
      if (settled.is === 'left') throw settled.error;
    };
}

function readPayload({ topic, partition, message }: KafkaJsPayload): MessageFacts {
  const { key, value, headers = {}, offset, timestamp } = message;
  const entries = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((each) => [name, each] as const),
  );
  return readRecord({ topic, partition, offset, key, value, headers: entries, timestamp: Number(timestamp) });
}
