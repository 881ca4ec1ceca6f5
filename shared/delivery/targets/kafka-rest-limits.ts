import { restoreRecordHeaders } from './kafka-headers.ts';
import type { KafkaRestBridge } from './kafka-rest-bridge.ts';
import { type Limit, type Outgoing, shorten } from './limits.ts';

/**
 * Returns what a bridge cannot write of a record. Strimzi's requires a value, and headers of at least one
 * byte: it rejects every spelling of none (versions 0.33.1 and 1.1.0).
 */
export function findRecordLimits(message: Outgoing, flavor: KafkaRestBridge['flavor']): Limit[] {
  if (flavor !== 'strimzi') return [];
  const isTombstone = message.payloadEncoding === 'none' && message.bodyBytes === 0;
  const empty = restoreRecordHeaders(message).filter(([, bytes]) => bytes.length === 0);
  return [
    ...(isTombstone ? [tombstone] : []),
    ...[...new Set(empty.map(([name]) => name))].map((name): Limit => {
      const part = `header ${shorten(name)}`;
      return {
        effect: 'omitted',
        part,
        detail: `The ${part} is empty and is omitted: Strimzi's bridge rejects it.`,
      };
    }),
  ];
}

const tombstone: Limit = {
  effect: 'not-sent',
  part: 'value',
  detail: "The record has no value, and Strimzi's bridge cannot write one without.",
};
