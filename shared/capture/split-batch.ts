import { sliceElements } from '../json/slice-json.ts';
import { toContent } from './content.ts';
import { pickEntries } from './header-values.ts';
import { idHeaders } from './identity.ts';
import type { ParsedInbound } from './message.ts';
import { recognizeWebhook, webhookIds } from './sources/find-source.ts';
import { findDeclared } from './sources/source.ts';
import { readMessageHeaders, readUnsignedHeaders } from './stored-headers.ts';

/** More are the data of one event, and too many rows for a statement. Each row has the headers. */
const maxParts = 10_000;

/** Each is parsed in its turn. A text says why they are one event. */
type Parts = (() => ParsedInbound)[] | string | undefined;

/**
 * A JSON array, CloudEvents in batch mode, or lines of which the media type says that each has JSON. What
 * cannot be read is an event, too. Undefined for a single event. Of another encoding, the parts are in UTF-8.
 */
export function splitBatch(sent: ParsedInbound): Parts {
  const { json, text, source } = sent;
  const request = text === undefined ? sent : { ...sent, body: Buffer.from(text), text: undefined };
  const contentType = request.headers['content-type'] ?? '';
  const isLines = /^[^;]*\b(ndjson|jsonl|jsonlines)\b/i.test(contentType);
  if (!Array.isArray(json) && !isLines) return undefined;
  // Its source says it, or the service whose headers or first line it has.
  if (!(source?.split ?? recognizeWebhook(request).split ?? true)) return undefined;
  // One line is one event, even if it is an array.
  if (isLines || !Array.isArray(json)) return toParts(request, readLines(request.body));
  // A batch of CloudEvents may be empty; any other empty array is an event.
  if (json.length === 0) return /^application\/cloudevents-batch/i.test(contentType) ? [] : undefined;
  const elements = sliceElements(request.body.toString(), maxParts + 1).map((each) => Buffer.from(each));
  return toParts(request, elements);
}

/** Without blank ones. */
function readLines(body: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = skipBlank(body, 0); at < body.length && lines.length <= maxParts; ) {
    const start = body.lastIndexOf('\n', at) + 1;
    const found = body.indexOf('\n', at);
    const end = found === -1 ? body.length : found;
    lines.push(body.subarray(start, body[end - 1] === 0x0d ? end - 1 : end));
    at = skipBlank(body, end);
  }
  return lines;
}

function skipBlank(body: Buffer, start: number): number {
  let at = start;
  while ([0x20, 0x09, 0x0d, 0x0a].includes(body[at] ?? -1)) at++;
  return at;
}

/** Headers that name one message: of several it is unknown which. */
const naming = new RegExp(
  `^(ce-.*|${[...idHeaders, ...webhookIds].join('|')}|dlo-event-id|x-goog-pubsub-.*|pulsar.*|x-cloudtasks-.*|content-encoding)$`,
);

/** As names and values. Those of the transport are of no message. */
export function listNaming(headers: ParsedInbound['headers']): [string, string][] {
  return Object.entries(readMessageHeaders(headers)).filter(([name]) => naming.test(name));
}

function toParts(request: ParsedInbound, bodies: readonly Buffer[]): Parts {
  const { headers, unsignedHeaders, sentType } = request;
  if (bodies.length > maxParts) return 'not read: more than 10,000 messages';
  const kept = JSON.stringify(readUnsignedHeaders({ ...headers, ...unsignedHeaders }));
  if (kept.length * bodies.length > 2 ** 24) return 'not read: more than 16 MiB of headers';
  if (bodies.length === 0) return undefined;
  const { 'content-type': type = '', 'idempotency-key': key } = headers;
  const keepOwn = (all: ParsedInbound['headers']) =>
    bodies.length === 1 ? all : pickEntries(all, (name) => !naming.test(name));
  // The charset was that of all of it.
  const toTypeOfPart = (all: string) =>
    findDeclared(all) ? all.replaceAll(/-batch\b|;.*/gis, '') : 'application/json';
  const own = { ...keepOwn(headers), 'content-type': toTypeOfPart(type) };
  return bodies.map((body, i) => () => ({
    ...request,
    ...toContent(body),
    sentType: toTypeOfPart(sentType),
    unsignedHeaders: unsignedHeaders && keepOwn(unsignedHeaders),
    headers: key ? { ...own, 'idempotency-key': `${key}/${i}` } : own,
  }));
}
