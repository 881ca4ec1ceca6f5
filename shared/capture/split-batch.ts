import { sliceItems } from '../json/slice-json.ts';
import { type Content, toContent, utf8Of } from './content.ts';
import { pickEntries } from './header-values.ts';
import { idHeaders } from './identity.ts';
import type { ParsedInbound } from './message.ts';
import { recognizeWebhook, webhookIds } from './sources/find-source.ts';
import { findDeclared } from './sources/source.ts';
import { readMessageHeaders, readUnsignedHeaders } from './stored-headers.ts';

/** More are the data of one event, and too many rows for a statement. Each row has the headers. */
const maxParts = 10_000;
const tooMany = 'not read: more than 10,000 messages';

/** Each is parsed in its turn. A text says why they are one event. */
type Parts = (() => ParsedInbound)[] | string | undefined;

/**
 * A JSON array, CloudEvents in batch mode, or lines of which the media type says that each has JSON. What
 * cannot be read is an event, too. Undefined for a single event. Of another encoding, the parts are in UTF-8.
 */
export function splitBatch(sent: ParsedInbound): Parts {
  const { json, source } = sent;
  const request = { ...sent, body: utf8Of(sent), text: undefined };
  const contentType = request.headers['content-type'] ?? '';
  const isLines = /^[^;]*\b(ndjson|jsonl|jsonlines)\b/i.test(contentType);
  if (!Array.isArray(json) && !isLines) return undefined;
  // Its source says it, or the service whose headers or first line it has.
  if (!(source?.split ?? recognizeWebhook(request).split ?? true)) return undefined;
  // One line is one event, even if it is an array.
  const toLine = (line: Buffer) => () => toContent(line);
  if (isLines || !Array.isArray(json)) return toParts(request, readLines(request.body).map(toLine));
  // A batch of CloudEvents may be empty; any other empty array is an event.
  if (json.length === 0) return /^application\/cloudevents-batch/i.test(contentType) ? [] : undefined;
  if (json.length > maxParts) return tooMany;
  const elements = sliceItems(request.body).map(({ value }) => value);
  const toElement = (body: Buffer, i: number) => () => ({ body, json: json[i], text: undefined });
  return toParts(request, elements.map(toElement));
}

/** Without blank ones. */
function readLines(body: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < body.length && lines.length <= maxParts; at++) {
    if ([0x20, 0x09, 0x0d, 0x0a].includes(body[at] ?? 0)) continue;
    const start = body.lastIndexOf('\n', at) + 1;
    const found = body.indexOf('\n', at);
    const end = found === -1 ? body.length : found;
    lines.push(body.subarray(start, body[end - 1] === 0x0d ? end - 1 : end));
    at = end;
  }
  return lines;
}

/** Headers that name one message: of several it is unknown which. */
const naming = new RegExp(
  `^(ce-.*|${[...idHeaders, ...webhookIds].join('|')}|dlo-event-id|x-goog-pubsub-.*|pulsar.*|x-cloudtasks-.*|content-encoding)$`,
);

/** As names and values. Those of the transport are of no message. */
export function listNaming(headers: ParsedInbound['headers']): [string, string][] {
  return Object.entries(readMessageHeaders(headers)).filter(([name]) => naming.test(name));
}

function toParts(request: ParsedInbound, contents: readonly (() => Content)[]): Parts {
  const { headers, unsignedHeaders, sentType } = request;
  if (contents.length > maxParts) return tooMany;
  const kept = JSON.stringify(readUnsignedHeaders({ ...headers, ...unsignedHeaders }));
  if (kept.length * contents.length > 2 ** 24) return 'not read: more than 16 MiB of headers';
  if (contents.length === 0) return undefined;
  const { 'content-type': type = '', 'idempotency-key': key } = headers;
  const keepOwn = (all: ParsedInbound['headers']) =>
    contents.length === 1 ? all : pickEntries(all, (name) => !naming.test(name));
  // The charset was that of all of it.
  const toTypeOfPart = (all: string) =>
    findDeclared(all) ? all.replaceAll(/-batch\b|;.*/gis, '') : 'application/json';
  const own = { ...keepOwn(headers), 'content-type': toTypeOfPart(type) };
  return contents.map((open, i) => () => ({
    ...request,
    ...open(),
    sentType: toTypeOfPart(sentType),
    unsignedHeaders: unsignedHeaders && keepOwn(unsignedHeaders),
    headers: key ? { ...own, 'idempotency-key': `${key}/${i}` } : own,
  }));
}
