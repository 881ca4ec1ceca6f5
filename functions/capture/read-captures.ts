import { toStorableText } from '../../shared/storable-text.ts';
import { readValue } from './carriers/value.ts';
import { carriers, families } from './formats.ts';
import { digest, findRedeliveredId, keyFromContent } from './identity.ts';
import type { Capture, Facts, Inbound, Message } from './message.ts';
import { splitBatch } from './split-batch.ts';

/**
 * Turns a request into the events that it carries: first its transport is peeled off, then what is inside is looked
 * at. What nobody recognises is an event as it is; only requests that
 * are known to carry none, as those of SNS to confirm a subscription, become none.
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

function complete({ facts, ...message }: Message, request: Inbound): Capture {
  const all = { ...noFacts, ...facts, ...findFirst(families, { ...message, facts }) };
  const redeliveredId = findRedeliveredId(message.headers) ?? findRedeliveredId(request.headers);
  return {
    ...message,
    ...all,
    redeliveredId,
    eventKey: fitKey(all.eventKey ?? keyFromContent(all.body ?? message.body)),
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
  sourceSubscription: null,
  consumerGroup: null,
  sourceAttempts: null,
  traceId: null,
  occurredAt: null,
  metadata: null,
};
