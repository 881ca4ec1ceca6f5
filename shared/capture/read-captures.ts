import { setImmediate } from 'node:timers/promises';
import { formats } from '../message/formats/formats.ts';
import { toCount } from './column-values.ts';
import { toContent } from './content.ts';
import { explainUnread, openEncodedReader } from './decode-text.ts';
import { addNotes, type Facts, listDecision, noFacts, type Origin } from './facts.ts';
import { findDamage, isBridged } from './find-damage.ts';
import { readFormat } from './formats/read-format.ts';
import { readHeader } from './header-values.ts';
import { keyFromContent, toIndexableSourceKey, toMessageKey, toRedelivery } from './identity.ts';
import type { Capture, Inbound, Message, ParsedInbound } from './message.ts';
import { describeJson } from './payload.ts';
import { type Found, isDeclared, readMessages } from './read-messages.ts';
import { mediaTypes } from './sources/source.ts';
import { recognizeWebhook } from './sources/webhooks.ts';
import {
  decodeStated,
  describesFailure,
  listStated,
  printStated,
  readSentQuery,
  readStated,
  type Stated,
} from './stated-facts.ts';
import { chooseHeaders } from './stored-headers.ts';

/**
 * The events of a request: the transport finds the messages, the format of each adds the facts of its
 * failure. Empty for an empty batch of CloudEvents alone.
 */
export function readCaptures(inbound: Inbound): Capture[] {
  return [...readEach(inbound)];
}

/** How long other requests wait for the messages of one, in ms. */
const turnMs = 20;

/** The same, and lets other requests have their turn between the messages of a large one. */
export async function readCapturesInTurns(inbound: Inbound): Promise<Capture[]> {
  const captures: Capture[] = [];
  let began = performance.now();
  for (const each of readEach(inbound)) {
    captures.push(each);
    if (performance.now() - began < turnMs) continue;
    await setImmediate();
    began = performance.now();
  }
  return captures;
}

function* readEach(inbound: Inbound): Generator<Capture> {
  const type = mediaTypes[inbound.source?.format ?? ''];
  const headers = { ...decodeStated(inbound.headers), ...(type !== undefined && { 'content-type': type }) };
  const readEncoded = openEncodedReader();
  const found = readMessages({ ...inbound, headers, ...toContent(inbound.body) });
  const stated = listStated(headers);
  const isAlone = found.length === 1;
  for (const [index, each] of found.entries())
    yield toCapture({ ...each, message: readEncoded(each.message) }, { stated, isAlone, index });
}

const formatNames = formats.map(({ name }) => name);

/** `isAlone`: an id in the headers of its request is that of the message. */
type Context = { readonly stated: Stated; readonly isAlone: boolean; readonly index: number };

function toCapture({ message, request, transport, ...found }: Found, context: Context): Capture {
  const { unsignedHeaders } = message;
  const isRead = transport !== 'value' && transport !== 'report';
  const unread = found.unread ?? (isRead ? null : findUnread(message, request));
  const { format, content, failure } = readFormat(message, isDeclared(formatNames, request));
  const facts = mergeFacts(message, request, { ...context, failure, body: content.body });
  const read = {
    ...facts,
    contentType: failure.contentType ?? message.contentType,
    headers: failure.headers ?? message.headers,
    body: content.body,
  };
  const bridged = isBridged(message, read);
  const damage = findDamage(read, bridged);
  const isReported = transport === 'value' && describesFailure(context.stated);
  const { headers, withheld } = chooseHeaders(
    request,
    unsignedHeaders && !failure.headers ? { ...unsignedHeaders, ...read.headers } : read.headers,
  );
  const said = { decided: listDecision(read), unread, query: readSentQuery(request), withheld };
  return {
    ...read,
    headers,
    ...toIndexableSourceKey(read, bridged),
    ...readRedelivery(message, request, context.isAlone),
    ...identify(read, request, context),
    consumer: read.consumer ?? read.consumerGroup,
    origin: isReported ? 'report' : findOrigin(read, bridged || damage.damaged.length > 0),
    metadata: addNotes(read.metadata, { ...damage, ...said }),
    ignored: Object.keys(Object(read.metadata?.ignored)),
    ...(content.text !== undefined && { text: content.text }),
    ...describeJson(content, content.text),
    unread,
    transport,
    format,
  };
}

type Told = Context & { readonly failure: Partial<Facts>; readonly body: Buffer };

/** The source comes first, then format, transport, and the `dlo-` headers of message and request. */
function mergeFacts(message: Message, request: ParsedInbound, { failure, body, stated, isAlone }: Told) {
  const { source } = request;
  const declared = source?.declare(message, request, isAlone);
  const facts = { ...noFacts, ...message.facts, ...failure, ...declared };
  const ofRequest = stated.filter(([name]) => isAlone || name !== 'dlo-event-id');
  const unused = stated.filter((each) => !ofRequest.includes(each));
  const own = readStated(facts, [...listStated(message.headers), ...ofRequest]);
  const { eventKey, eventType, topicType, sourceKind, metadata } = Object.assign(facts, own.facts);
  const ignored = Object.fromEntries([...own.ignored, ...unused]);
  return {
    ...facts,
    // The content is hashed only if nothing else names the message.
    eventKey: eventKey ?? keyFromContent(body),
    eventType: eventType ?? topicType ?? 'unknown',
    sourceKind: sourceKind ?? source?.name ?? 'unknown',
    metadata: addNotes(metadata, { ignored: { ...Object(metadata?.ignored), ...ignored } }),
  };
}

/** Why a body that is kept whole is not what it is declared as. The message in a report may be any bytes. */
function findUnread({ body, json }: Message, request: ParsedInbound): string | null {
  if (json !== undefined || request.json !== undefined) return null;
  return explainUnread(body, request.headers['content-type']);
}

/** Bytes that a bridge did not touch are exact; an empty message has none that it could touch. */
function findOrigin({ origin, body }: Pick<Capture, 'origin' | 'body'>, isChanged: boolean): Origin {
  if (origin === 'report') return origin;
  return body.length > 0 && (isChanged || origin === 'bridge') ? 'bridge' : null;
}

/** Of a redelivery, among the headers of the message, else among those of its request. */
function readRedelivery({ headers }: Message, request: ParsedInbound, isAlone: boolean) {
  const own = (name: string) => readHeader(headers, name);
  // Looked up, not searched: a search of such an object slows down all others.
  const sent = (name: string) => (isAlone ? request.headers[name] : undefined);
  const read = toRedelivery(own('dlo-event-id')) === null ? sent : own;
  const redelivery = toRedelivery(read('dlo-event-id'));
  return { redelivery, attempt: redelivery === null ? null : toCount(read('dlo-attempt')) };
}

/**
 * Without an id of the message, that of its delivery stands in for it; without any, its content and what the
 * request states.
 */
function identify({ eventKey, deliveryId }: Facts, request: ParsedInbound, context: Context) {
  const { stated, isAlone, index } = context;
  const { signature, headers } = request;
  const { 'idempotency-key': key } = headers;
  const arrival =
    deliveryId ??
    (key ? `idempotency:${key}` : null) ??
    (isAlone ? recognizeWebhook(request).delivery : null) ??
    (signature === undefined ? null : `signature:${signature}/${index}`);
  if (!eventKey.startsWith('sha256:')) return { eventKey: toMessageKey(eventKey), deliveryId: arrival };
  if (arrival !== null && signature === undefined)
    return { eventKey: toMessageKey(`delivery:${request.path}:${arrival}`), deliveryId: arrival };
  const said = `${printStated(stated)}${readSentQuery(request) ?? ''}`;
  return { eventKey: said === '' ? eventKey : keyFromContent([eventKey, said]), deliveryId: arrival };
}
