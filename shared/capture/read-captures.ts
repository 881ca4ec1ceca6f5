import { toStorableText } from '../database/storable-text.ts';
import { toBigCount } from './column-values.ts';
import { toContent } from './content.ts';
import { deadLetterFormats, transports } from './formats.ts';
import { digest, findRedeliveredId, keyFromContent } from './identity.ts';
import type { Capture, Facts, Inbound, Message, ParsedInbound } from './message.ts';
import { splitBatch } from './split-batch.ts';
import { readValue } from './transports/value.ts';

/**
 * Reads the events of a request: the transport finds the messages, then the dead-letter format of each message adds the
 * facts of its failure. A request of no known format is one event, or one event per part of a batch. Returns an empty
 * list only for requests that carry no event, such as SNS subscription confirmations.
 */
export function readCaptures(inbound: Inbound): Capture[] {
  const request = { ...inbound, ...toContent(inbound.body) };
  const messages = findFirst(transports, request);
  if (messages) return messages.map((message) => toCapture(message, request));
  const parts = splitBatch(request);
  if (!parts) return [toCapture(readValue(request), request)];
  return parts.flatMap(({ request: part, contentKey }) =>
    (findFirst(transports, part) ?? [readValue(part, contentKey)]).map((message) => toCapture(message, part)),
  );
}

function findFirst<Input, Found>(
  readers: readonly ((input: Input) => Found | undefined)[],
  input: Input,
): Found | undefined {
  for (const read of readers) {
    const found = read(input);
    if (found !== undefined) return found;
  }
  return undefined;
}

function toCapture(message: Message, request: ParsedInbound): Capture {
  const { body, json, contentType, headers, facts } = message;
  const failure = findFirst(deadLetterFormats, message) ?? {};
  // A dead-letter format that makes a key of its own also says whether that key is per delivery.
  const keepsKey = failure.eventKey === undefined || failure.eventKey === facts.eventKey;
  const isKeyPerDelivery = failure.isKeyPerDelivery ?? (keepsKey && (facts.isKeyPerDelivery ?? false));
  const merged = { ...noFacts, body, contentType, headers, ...facts, ...failure, isKeyPerDelivery };
  return {
    ...merged,
    ...toIndexableSourceKey(merged),
    redeliveredId: findRedeliveredId(headers) ?? toBigCount(request.headers['dlo-event-id']),
    eventKey: toIndexableKey(merged.eventKey ?? keyFromContent(merged.body)),
    isJson: (failure.body ? toContent(failure.body).json : json) !== undefined,
  };
}

/** An ordering key that has to be changed for the index keeps its bytes in a second column. */
function toIndexableSourceKey({ sourceKey, sourceKeyBase64 }: Pick<Facts, 'sourceKey' | 'sourceKeyBase64'>) {
  const indexable = sourceKey === null ? null : toIndexableKey(sourceKey);
  if (sourceKey === null || indexable === sourceKey) return { sourceKey, sourceKeyBase64 };
  return {
    sourceKey: indexable,
    sourceKeyBase64: sourceKeyBase64 ?? Buffer.from(sourceKey).toString('base64'),
  };
}

/** An index entry has at most some 2,700 bytes; ids that senders choose may be longer, and hold any character. */
function toIndexableKey(key: string): string {
  return toStorableText(Buffer.byteLength(key) <= 1000 ? key : `${key.slice(0, 200)}~${digest(key)}`);
}

const noFacts: Omit<Facts, 'eventKey' | 'isKeyPerDelivery' | 'redeliveredId'> = {
  deliveryId: null,
  eventType: 'unknown',
  eventId: null,
  errorReason: null,
  errorStacktrace: null,
  errorClass: null,
  sourceKind: 'unknown',
  sourceTopic: null,
  sourcePartition: null,
  sourceOffset: null,
  sourceKey: null,
  sourceKeyBase64: null,
  sourceSubscription: null,
  consumerGroup: null,
  sourceAttempts: null,
  traceId: null,
  occurredAt: null,
  metadata: null,
};
