import { fromBytes, fromEntries } from '../header-texts.ts';
import type { MessageFacts, SingleValue } from '../message-facts.ts';

type Bytes = Uint8Array | string;

/** A record of Kafka, as its clients agree on it. */
export type KafkaRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: Bytes | null | undefined;
  readonly value: Bytes | null | undefined;
  readonly headers: Iterable<readonly [name: string, value: Bytes | undefined | null]>;
  /** In ms since 1970. */
  readonly timestamp: number;
};

/** The coordinates are the identity of a record, unless its application gave it an id. */
export function readRecord({
  topic,
  partition,
  offset,
  key,
  value,
  headers,
  timestamp,
}: KafkaRecord): MessageFacts {
  const entries = [...headers].map(([name, each]): [string, SingleValue] => [name, fromBytes(each ?? '')]);
  return {
    body: value ?? null,
    headers: fromEntries(entries),
    occurredAt: timestamp > 0 ? new Date(timestamp) : undefined,
    source: { kind: 'kafka', topic, partition, offset, key },
  };
}
