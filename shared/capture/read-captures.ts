import { findPrint } from '../message/printed-message.ts';
import { type Content, toContent } from './content.ts';
import { addDecision } from './decision.ts';
import { addDamage, findDamage, isBridged } from './find-damage.ts';
import { deadLetterFormats, type Named, transports } from './formats.ts';
import { readHeader } from './header-values.ts';
import { digest, shortDigest, toRedelivery } from './identity.ts';
import { toIndexableKey, toIndexableSourceKey } from './indexable-keys.ts';
import type { Capture, Facts, Inbound, Message, ParsedInbound } from './message.ts';
import { splitBatch } from './split-batch.ts';
import {
  addStatedFacts,
  decodeStated,
  describesFailure,
  listStated,
  printStated,
  type Stated,
} from './stated-facts.ts';
import { isReportType, readWholeReport } from './transports/report.ts';
import { readValue } from './transports/value.ts';

/**
 * Reads the events of a request: the transport finds the messages, then the dead-letter format of each message adds the
 * facts of its failure. A request of no known format is one event, or one event per part of a batch. Returns an empty
 * list only for requests that carry no event, such as SNS subscription confirmations.
 */
export function readCaptures(inbound: Inbound): Capture[] {
  const headers = decodeStated(inbound.headers);
  const found = readMessages({ ...inbound, headers, ...toContent(inbound.body) });
  const stated = listStated(headers);
  return found.map((each) => toCapture(each, stated, found.length === 1));
}

/** A message, with its request or part of a batch and the name of its transport. */
type Found = { readonly message: Message; readonly request: ParsedInbound; readonly transport: string };

function readMessages(request: ParsedInbound): Found[] {
  const messages = readTransport(request);
  if (messages) return messages;
  const parts = splitBatch(request);
  if (!parts) return [readWhole(request)];
  return parts.flatMap(
    ({ request: part, contentKey }) => readTransport(part) ?? [readWhole(part, contentKey)],
  );
}

function readTransport(request: ParsedInbound): Found[] | undefined {
  const found = findFirst(transports, request);
  return found?.value.map((message) => ({ message, request, transport: found.name }));
}

/** A body of no known format is kept as it is, and so is one that is declared as a report but is none. */
function readWhole(request: ParsedInbound, contentKey?: string): Found {
  const isReport = isReportType(request.headers['content-type']);
  const read = isReport ? readWholeReport : readValue;
  return { message: read(request, contentKey), request, transport: isReport ? 'report' : 'value' };
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

/** `isAlone`: the request has no other message, so that an id in its headers is that of the message. */
function toCapture({ message, request, transport }: Found, stated: Stated, isAlone: boolean): Capture {
  const { body, json, contentType, headers, unsignedHeaders, facts } = message;
  const found = findFirst(deadLetterFormats, message);
  const failure = found?.value ?? {};
  // A dead-letter format that makes a key of its own also says whether that key is per delivery.
  const keepsKey = failure.eventKey === undefined || failure.eventKey === facts.eventKey;
  const isKeyPerDelivery = failure.isKeyPerDelivery ?? (keepsKey && (facts.isKeyPerDelivery ?? false));
  // A type of the format's own is stated, unless the format says otherwise or it is the name of the topic.
  const isTypeTold =
    (failure.eventType ?? facts.eventType) === facts.eventType ? facts.isTypeTold : failure.isTypeTold;
  const read = { ...noFacts, body, contentType, headers, ...facts, ...failure, isKeyPerDelivery, isTypeTold };
  const merged = addStatedFacts(read, { own: listStated(headers), request: stated, isAlone });
  const bridged = isBridged(message, merged);
  const damage = findDamage(merged, bridged);
  const isReported = transport === 'value' && describesFailure(stated);
  // Looked up, not searched: the names in a request are in lower case, and a search of such an object slows down all others.
  const redelivery =
    toRedelivery(readHeader(headers, 'dlo-event-id')) ??
    (isAlone ? toRedelivery(request.headers['dlo-event-id']) : null);
  return {
    ...merged,
    ...(unsignedHeaders && !failure.headers && { headers: { ...unsignedHeaders, ...headers } }),
    ...toIndexableSourceKey(merged, bridged),
    ...identifyDelivery({ ...merged, redelivery }, request, stated),
    contentRank: isReported ? rankReport(merged) : rankContent(merged, bridged || damage.damaged.length > 0),
    metadata: addDecision(addDamage(merged.metadata, damage), merged),
    redelivery,
    eventKey: toIndexableKey(merged.eventKey),
    ...describeJson(failure.body ? toContent(failure.body) : { body, json }),
    transport,
    format: found?.name ?? null,
  };
}

function describeJson({ body, json }: Content): Pick<Capture, 'isJson' | 'printedAs'> {
  if (json === undefined) return { isJson: false, printedAs: null };
  return { isJson: true, printedAs: findPrint(json, body) };
}

/** A body whose failure is described by headers was sent by a consumer, not by a broker. */
function rankReport({ body }: Pick<Capture, 'body'>) {
  return body.length === 0 ? 0 : 2;
}

type Ranked = Pick<Capture, 'body' | 'contentRank' | 'hasEmptyValue'>;

/** Key and headers that a bridge may have changed are not the broker's exact ones. */
function rankContent({ body, contentRank, hasEmptyValue }: Ranked, isChanged: boolean) {
  if (body.length === 0 && !hasEmptyValue) return 0;
  return isChanged && contentRank === 4 ? 3 : contentRank;
}

/**
 * Without an id of the delivery, equal requests are one delivery: forever if they name a time, else for a while. Each
 * redelivery is another one, and its consumer may fail with the same request: it passes on which one failed.
 */
function identifyDelivery(
  { deliveryId, occurredAt, redelivery }: Pick<Facts, 'deliveryId' | 'occurredAt' | 'redelivery'>,
  { path, body, headers }: ParsedInbound,
  stated: Stated,
): Pick<Facts, 'deliveryId' | 'isDeliveryGuessed'> {
  if (deliveryId !== null) return { deliveryId, isDeliveryGuessed: false };
  const failed = redelivery === null ? '' : `\n${redelivery}/${headers['dlo-attempt'] ?? ''}`;
  return {
    // The body is not copied: it may have many megabytes.
    deliveryId: `request:${shortDigest(`${path}\n${digest(body)}${printStated(stated)}${failed}`)}`,
    isDeliveryGuessed: occurredAt === null || redelivery !== null,
  };
}

const noFacts: Omit<
  Facts,
  'eventKey' | 'isKeyPerDelivery' | 'isTypeTold' | 'isDeliveryGuessed' | 'redelivery'
> = {
  deliveryId: null,
  eventType: 'unknown',
  contentRank: 4,
  hasEmptyValue: false,
  eventId: null,
  errorReason: null,
  errorStacktrace: null,
  errorClass: null,
  errorKind: null,
  retryAfter: null,
  maxRetries: null,
  priority: null,
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
