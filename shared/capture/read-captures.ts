import { toContent } from './content.ts';
import { addDamage, findDamage, isBridged } from './find-damage.ts';
import { deadLetterFormats, type Named, transports } from './formats.ts';
import { readHeader } from './header-values.ts';
import { digest, keyFromContent, toRedelivery } from './identity.ts';
import { toIndexableKey, toIndexableSourceKey } from './indexable-keys.ts';
import type { Capture, Facts, Inbound, Message, ParsedInbound } from './message.ts';
import { splitBatch } from './split-batch.ts';
import { isReportType, readWholeReport } from './transports/report.ts';
import { readValue } from './transports/value.ts';

/**
 * Reads the events of a request: the transport finds the messages, then the dead-letter format of each message adds the
 * facts of its failure. A request of no known format is one event, or one event per part of a batch. Returns an empty
 * list only for requests that carry no event, such as SNS subscription confirmations.
 */
export function readCaptures(inbound: Inbound): Capture[] {
  const request = { ...inbound, ...toContent(inbound.body) };
  const found = findFirst(transports, request);
  if (found) return found.value.map((message) => toCapture(message, request, found.name));
  const parts = splitBatch(request);
  if (!parts) return [readWhole(request)];
  return parts.flatMap(({ request: part, contentKey }) => {
    const known = findFirst(transports, part);
    if (!known) return [readWhole(part, contentKey)];
    return known.value.map((message) => toCapture(message, part, known.name));
  });
}

/** A body of no known format is kept as it is, and so is one that is declared as a report but is none. */
function readWhole(request: ParsedInbound, contentKey?: string): Capture {
  const isReport = isReportType(request.headers['content-type']);
  const read = isReport ? readWholeReport : readValue;
  return toCapture(read(request, contentKey), request, isReport ? 'report' : 'value');
}

function findFirst<Input, Value>(
  readers: readonly Named<(input: Input) => Value | undefined>[],
  input: Input,
): { readonly name: string; readonly value: Value } | undefined {
  for (const [name, read] of readers) {
    const value = read(input);
    if (value !== undefined) return { name, value };
  }
  return undefined;
}

function toCapture(message: Message, request: ParsedInbound, transport: string): Capture {
  const { body, json, contentType, headers, unsignedHeaders, facts } = message;
  const found = findFirst(deadLetterFormats, message);
  const failure = found?.value ?? {};
  // A dead-letter format that makes a key of its own also says whether that key is per delivery.
  const keepsKey = failure.eventKey === undefined || failure.eventKey === facts.eventKey;
  const isKeyPerDelivery = failure.isKeyPerDelivery ?? (keepsKey && (facts.isKeyPerDelivery ?? false));
  // A type of the format's own is stated, unless the format says otherwise or it is the name of the topic.
  const isTypeTold =
    (failure.eventType ?? facts.eventType) === facts.eventType ? facts.isTypeTold : failure.isTypeTold;
  const merged = { ...noFacts, body, contentType, headers, ...facts, ...failure, isKeyPerDelivery };
  const bridged = isBridged(message, merged);
  const damage = findDamage(merged, bridged);
  return {
    ...merged,
    ...(unsignedHeaders && !failure.headers && { headers: { ...unsignedHeaders, ...headers } }),
    ...toIndexableSourceKey(merged, bridged),
    ...identifyDelivery(merged, request),
    isTypeTold: isTypeTold ?? ![merged.sourceTopic, 'unknown'].includes(merged.eventType),
    contentRank: rankContent(merged, bridged || damage.damaged.length > 0),
    metadata: addDamage(merged.metadata, damage),
    // Looked up, not searched: the names in a request are in lower case, and a search of such an object slows down all others.
    redelivery:
      toRedelivery(readHeader(headers, 'dlo-event-id')) ?? toRedelivery(request.headers['dlo-event-id']),
    eventKey: toIndexableKey(merged.eventKey ?? keyFromContent(merged.body)),
    isJson: (failure.body ? toContent(failure.body).json : json) !== undefined,
    transport,
    format: found?.name ?? null,
  };
}

/** Key and headers that a bridge may have changed are not the broker's exact ones. */
function rankContent({ body, contentRank }: Pick<Capture, 'body' | 'contentRank'>, isChanged: boolean) {
  if (body.length === 0) return 0;
  return isChanged && contentRank === 4 ? 3 : contentRank;
}

/** Without an id of the delivery, equal requests are one delivery: forever if they name a time, else for a while. */
function identifyDelivery(
  { deliveryId, occurredAt }: Pick<Facts, 'deliveryId' | 'occurredAt'>,
  { path, body }: ParsedInbound,
): Pick<Facts, 'deliveryId' | 'isDeliveryGuessed'> {
  if (deliveryId !== null) return { deliveryId, isDeliveryGuessed: false };
  return {
    // The body is not copied: it may have many megabytes.
    deliveryId: `request:${digest(`${path}\n${digest(body)}`)}`,
    isDeliveryGuessed: occurredAt === null,
  };
}

const noFacts: Omit<
  Facts,
  'eventKey' | 'isKeyPerDelivery' | 'isTypeTold' | 'isDeliveryGuessed' | 'redelivery'
> = {
  deliveryId: null,
  eventType: 'unknown',
  contentRank: 4,
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
  ignored: [],
};
