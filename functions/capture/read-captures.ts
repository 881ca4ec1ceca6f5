import { toStorableText } from '../../shared/storable-text.ts';
import { readValue } from './carriers/value.ts';
import { carriers, families } from './formats.ts';
import { digest, findRedeliveredId, keyFromContent } from './identity.ts';
import type { Capture, Facts, Inbound, Message } from './message.ts';
import { splitBatch } from './split-batch.ts';
import { parseBody, toOffset } from './text.ts';

/**
 * Turns a request into the events that it carries: first its transport is peeled off, then what is inside is looked
 * at. What nobody recognises is an event as it is; only requests that are known to carry none, as those of SNS to
 * confirm a subscription, become none.
 */
export function readCaptures(request: Inbound): Capture[] {
  const messages = findFirst(carriers, request);
  if (messages) return messages.map((message) => complete(message, request));
  const parts = splitBatch(request);
  if (!parts) return [complete(readValue(request), request)];
  return parts.flatMap(({ request: part, contentKey }) =>
    (findFirst(carriers, part) ?? [readValue(part, contentKey)]).map((message) => complete(message, part)),
  );
}

function complete(message: Message, request: Inbound): Capture {
  const { facts, body, contentType, headers } = message;
  const all = { ...noFacts, body, contentType, headers, ...facts, ...findFirst(families, message) };
  return {
    ...all,
    ...fitSourceKey(all),
    redeliveredId: findRedeliveredId(headers) ?? toOffset(request.headers['dlo-event-id']),
    eventKey: fitKey(all.eventKey ?? keyFromContent(all.body)),
    isJson: parseBody(all.body) !== undefined,
  };
}

/** What cannot be an ordering key as it is keeps its bytes beside the one that is made of it. */
function fitSourceKey({ sourceKey, sourceKeyBase64 }: Pick<Facts, 'sourceKey' | 'sourceKeyBase64'>) {
  const fitting = sourceKey === null ? null : fitKey(sourceKey);
  if (sourceKey === null || fitting === sourceKey) return { sourceKey, sourceKeyBase64 };
  return {
    sourceKey: fitting,
    sourceKeyBase64: sourceKeyBase64 ?? Buffer.from(sourceKey).toString('base64'),
  };
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

/** An index entry has a limit of some 2,700 bytes, ids that people choose have none; they may hold anything, too. */
function fitKey(key: string): string {
  const fitting = Buffer.byteLength(key) <= 1000 ? key : `${key.slice(0, 200)}~${digest(key)}`;
  return toStorableText(fitting);
}

const noFacts: Omit<Facts, 'eventKey' | 'redeliveredId'> = {
  carrierId: null,
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
