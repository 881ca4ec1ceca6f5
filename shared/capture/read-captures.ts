import { setImmediate } from 'node:timers/promises';
import { isObject } from '../json/parse-json.ts';
import { withholdCredentials } from '../message/credential-headers.ts';
import { toCount } from './column-values.ts';
import { openEncodedReader, readContent } from './decode-text.ts';
import { readFormat } from './formats/read-format.ts';
import { lastText } from './header-values.ts';
import { isRedelivery, keyFromContent, toMessageKey, toStorableKey } from './identity.ts';
import {
  addNotes,
  type Capture,
  type Facts,
  type Inbound,
  listDecision,
  type Message,
  noFacts,
} from './message.ts';
import { toPayload } from './payload.ts';
import { type Found, readMessages } from './read-messages.ts';
import { readErrorMember } from './report.ts';
import { recognizeWebhook } from './sources/find-source.ts';
import { findDeclared, mediaTypes } from './sources/source.ts';
import { listNaming } from './split-batch.ts';
import {
  decodeHeaders,
  describesFailure,
  listStated,
  printStated,
  readSentQuery,
  readStated,
  type Stated,
} from './stated-facts.ts';
import { chooseHeaders, findDamage } from './stored-headers.ts';

/**
 * The events of a request: the transport finds the messages, the format of each adds the facts of its
 * failure. Empty for an empty batch of CloudEvents alone.
 */
export const readCaptures = (inbound: Inbound): Capture[] => [...readEach(inbound)];

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
  // With the charset that the sender declares.
  const sentType = inbound.headers['content-type'] ?? '';
  const [parameters = ''] = /;.*/s.exec(sentType) ?? [];
  const declared = type === undefined ? {} : { 'content-type': type + parameters };
  const headers = { ...decodeHeaders(inbound.headers, true), ...declared };
  const unsignedHeaders = inbound.unsignedHeaders && decodeHeaders(inbound.unsignedHeaders, false);
  const content = readContent(inbound.body, headers['content-type']);
  const request = { ...inbound, unsignedHeaders, headers, sentType, readEncoded: openEncodedReader() };
  const found = readMessages({ ...request, ...content });
  const omitted = found.length === 1 ? undefined : listNaming({ ...unsignedHeaders, ...headers });
  const stated = listStated(headers).filter(([name]) => !omitted || name !== 'dlo-event-id');
  for (const [index, read] of found.entries()) yield toCapture(read(), { stated, omitted, index });
}

/** `omitted`: headers of the request that name one message, of which there are several. */
type Context = { readonly stated: Stated; readonly omitted: Stated | undefined; readonly index: number };

function toCapture(found: Found, context: Context): Capture {
  const { request, transport, unsignedHeaders } = found;
  const isReported = transport === 'value' && describesFailure(context.stated);
  const opened = isReported ? { ...found, facts: { ...found.facts, origin: 'report' as const } } : found;
  const { format, ...message } = readFormat(opened);
  const unread = found.unread ?? findUnread(found, format);
  const facts = { ...mergeFacts(found, message, context), ...readRedelivery(found) };
  const { body, contentType, text } = message;
  const damage = findDamage(found, { ...facts, headers: message.headers });
  const { headers, withheld } = chooseHeaders(request, { ...unsignedHeaders, ...message.headers });
  const said = { decided: listDecision(facts), unread, query: readSentQuery(request), withheld };
  return {
    ...{ ...facts, body, text, contentType, headers, transport, format, unread },
    ...toStorableKey(facts, damage.isBridged),
    ...identify(facts, found, context),
    consumer: facts.consumer ?? facts.consumerGroup,
    origin: findOrigin(facts, body, damage),
    metadata: addNotes(facts.metadata, { damaged: damage.damaged, ...said }),
    ignored: Object.keys(Object(facts.metadata?.ignored)),
    payload: toPayload(message, headers),
  };
}

/**
 * In this order: source, format, transport, `dlo-` headers of message and request, and a member `error`.
 */
function mergeFacts(found: Found, message: Message, { stated, omitted }: Context) {
  const { transport, request } = found;
  const told = { ...noFacts, ...message.facts, ...request.source?.declare(found, omitted === undefined) };
  const own = readStated(told, [...listStated(found.headers), ...stated]);
  const facts = { ...told, ...own.facts };
  const { eventKey, eventType, topicType, sourceKind, metadata } = facts;
  const isTold = transport === 'report' || facts.errorReason !== null || facts.errorClass !== null;
  const ignored = Object.fromEntries(withholdCredentials([...own.ignored, ...(omitted ?? [])]));
  return {
    ...{ ...facts, ...(!isTold && readErrorMember(message)) },
    eventType: eventType ?? topicType ?? 'unknown',
    // The content is hashed only if nothing else names the message.
    eventKey: eventKey ?? keyFromContent(message.body),
    sourceKind: sourceKind ?? request.source?.name ?? 'unknown',
    metadata: addNotes(metadata, { ignored: { ...Object(metadata?.ignored), ...ignored } }),
  };
}

/** Why a body that could be read is not what is declared. The message in a report may be any bytes. */
function findUnread({ transport, body, request }: Found, format: string | null): string | null {
  const { format: ofSource = '' } = request.source ?? {};
  if (body.length === 0 || ofSource === 'message') return null;
  const isRead = transport !== 'value' && (transport !== 'report' || isObject(request.json));
  const ofType = isRead ? undefined : findDeclared(request.headers['content-type']);
  const declared = ofSource === '' || ofSource in mediaTypes ? ofType : ofSource;
  const isDeclared = declared === undefined || declared === format || (isRead && declared === transport);
  return isDeclared ? null : `not of the format ${declared}`;
}

/** Bytes that a bridge did not touch are exact; an empty message has none that it could touch. */
function findOrigin({ origin }: Facts, body: Buffer, { isBridged, damaged }: ReturnType<typeof findDamage>) {
  if (origin === 'report') return origin;
  return body.length > 0 && (isBridged || damaged.length > 0 || origin === 'bridge') ? 'bridge' : null;
}

/** Of a redelivery, among the headers of the message, else among those of its request. */
function readRedelivery({ named, request }: Message) {
  // Looked up, not searched: a search of such an object slows down all others.
  const { 'dlo-event-id': id, 'dlo-attempt': sent } = request.headers;
  const own = [lastText(named.get('dlo-event-id')), lastText(named.get('dlo-attempt'))] as const;
  const [redelivery, attempt] = [own, [id, sent] as const].find(([each]) => each && isRedelivery(each)) ?? [];
  return { redelivery: redelivery ?? null, attempt: toCount(attempt) };
}

/**
 * Without an id of the message, that of its delivery stands in for it; without any, its content, its source
 * and what the request states. Each redelivery of a webhook has its headers, but is another delivery.
 */
function identify({ eventKey, deliveryId, redelivery }: Facts, { request }: Message, context: Context) {
  const { stated, index } = context;
  const { signature, headers, path, source } = request;
  const { 'idempotency-key': key } = headers;
  const sender = source?.name ?? '';
  const arrival =
    deliveryId ??
    (key ? `idempotency:${key}` : null) ??
    (redelivery === null ? recognizeWebhook(request).delivery : null) ??
    (signature === undefined ? null : `signature:${signature}/${index}`);
  if (!eventKey.startsWith('sha256:')) return { eventKey: toMessageKey(eventKey), deliveryId: arrival };
  if (arrival !== null && signature === undefined)
    return { eventKey: toMessageKey(`delivery:${sender}${path}:${arrival}`), deliveryId: arrival };
  // No signature covers the query: whoever saw a request could send it again with another one.
  const query = signature === undefined ? (readSentQuery(request) ?? '') : '';
  const said = `${sender}${printStated(stated)}${query}`;
  return { eventKey: said === '' ? eventKey : keyFromContent([eventKey, said]), deliveryId: arrival };
}
