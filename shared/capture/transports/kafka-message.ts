import type { HeaderValue } from '../../events/event.ts';
import { describeContent } from '../cloud-event.ts';
import { toContent } from '../content.ts';
import { addHeader, type SingleValue } from '../header-values.ts';
import type { Facts, Message, ParsedInbound } from '../message.ts';
import { findTraceId } from '../trace-id.ts';
import { readPath } from './value.ts';

/** A Kafka record, as a transport reads it. */
type ReadRecord = Partial<Facts> & {
  /** Undefined: the record names none, and the path may. */
  readonly topic: string | null | undefined;
  readonly partition: number | null;
  readonly offset: string | null;
  /** Null: a tombstone. */
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  /** Whether key or value were decoded, and printed again: 1.50 became 1.5. */
  readonly isPrinted: boolean;
};

export function toKafkaMessage({ path, headers: sent }: ParsedInbound, record: ReadRecord): Message {
  const { topic, partition, offset, value, headers, isPrinted, ...facts } = record;
  return {
    ...describeContent(toContent(value ?? Buffer.alloc(0)), headers, 'ce_'),
    facts: {
      ...(isPrinted && { origin: 'bridge' as const }),
      // Without a topic it has no event key.
      ...(topic === undefined && { deliveryId: `kafka:/${partition}/${offset}` }),
      hasEmptyValue: value?.length === 0,
      sourceKind: 'kafka',
      sourceTopic: topic === undefined ? readPath(path).topic : topic,
      sourcePartition: partition,
      sourceOffset: offset,
      traceId: findTraceId(sent.traceparent),
      ...facts,
    },
  };
}

/** Headers by name, of which one may have several values. */
export function groupHeaders(pairs: readonly (readonly [name: string, value: SingleValue])[]) {
  // Without a prototype: a header can have the name "constructor".
  const headers: Record<string, HeaderValue> = Object.create(null);
  for (const [name, value] of pairs) addHeader(headers, name, value);
  return headers;
}
