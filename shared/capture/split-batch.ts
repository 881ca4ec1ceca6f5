import { findExcess } from '../json/find-excess.ts';
import { isObject, parseJson } from '../json/parse-json.ts';
import { sliceElements } from '../json/slice-json.ts';
import { decodeUtf8, toContent } from './content.ts';
import { matches } from './formats/compile-format.ts';
import { openRequest } from './formats/read-transport.ts';
import { pickHeaders } from './header-values.ts';
import { idHeaders } from './identity.ts';
import type { ParsedInbound } from './message.ts';
import { isReportType } from './report.ts';
import { ofWholeLines, recognizeWebhook, webhookIds } from './sources/find-source.ts';

/** More are the data of one event, and too many rows for a statement. */
const maxParts = 10_000;

/**
 * A JSON array, JSON on each line, JSON objects between commas, or CloudEvents in batch mode. What cannot be
 * read is an event, too. Undefined for a single event. Of another encoding, the parts are in UTF-8.
 */
export function splitBatch(sent: ParsedInbound): ParsedInbound[] | undefined {
  const { json, text } = sent;
  const request = text === undefined ? sent : { ...sent, body: Buffer.from(text), text: undefined };
  const contentType = request.headers['content-type'] ?? '';
  const isCloudEvents = /^application\/cloudevents-batch/i.test(contentType);
  if (!isSplit(request) && !isCloudEvents) return undefined;
  // One line is one event, even if it is an array.
  if (/\b(ndjson|jsonl|jsonlines)\b/i.test(contentType)) return toParts(request, readLines(request.body));
  // A batch of CloudEvents may be empty; any other empty array is an event.
  if (Array.isArray(json) && json.length === 0) return isCloudEvents ? [] : undefined;
  if (Array.isArray(json)) return splitArray(request, decodeUtf8(request.body) ?? '');
  return json === undefined ? splitUndeclared(request) : undefined;
}

/** A source says it, or the service whose headers or first line a request has, or its sender. */
function isSplit(request: ParsedInbound): boolean {
  const { source, query } = request;
  const declared = source?.split ?? recognizeWebhook(request).split;
  return declared ?? (query.get('split') !== 'false' && !isOfWholeLines(request));
}

/** Far more than the first line of such a format has. */
const maxFirstLine = 4096;

function isOfWholeLines(request: ParsedInbound): boolean {
  const end = request.body.subarray(0, maxFirstLine).indexOf('\n');
  if (end === -1) return false;
  const opened = openRequest({ ...request, ...toContent(request.body.subarray(0, end)) });
  return ofWholeLines.some((each) => matches(each, opened));
}

function splitArray(request: ParsedInbound, array: string): ParsedInbound[] | undefined {
  const elements = sliceElements(array, maxParts + 1);
  if (elements.length > maxParts) return undefined;
  const bodies = elements.map((element) => Buffer.from(element));
  return toParts(request, bodies);
}

/** Some sinks do not declare a batch: objects on several lines, or with only commas between them. */
function splitUndeclared(request: ParsedInbound): ParsedInbound[] | undefined {
  if (request.body[0] !== '{'.charCodeAt(0)) return undefined;
  const lines = readLines(request.body);
  if (areEvents(lines)) return toParts(request, lines);
  const array = `[${decodeUtf8(request.body) ?? ''}]`;
  return findExcess(request.body) !== undefined || parseJson(array) === undefined
    ? undefined
    : splitArray(request, array);
}

/** Complete objects on most lines: one that is printed on several has none on its first. */
function areEvents(lines: readonly Buffer[]): boolean {
  const isComplete = (line: Buffer | undefined) => isObject(parseJson(line && decodeUtf8(line)));
  return lines.length > 1 && isComplete(lines[0]) && lines.filter(isComplete).length >= lines.length / 2;
}

function readLines(body: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < body.length && lines.length <= maxParts; ) {
    const end = body.indexOf('\n', start);
    const next = end === -1 ? body.length : end;
    const line = body.subarray(start, body[next - 1] === '\r'.charCodeAt(0) ? next - 1 : next);
    if (line.some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d)) lines.push(line);
    start = next + 1;
  }
  return lines;
}

/** Headers that name one message: of several it is unknown which. */
const naming = new RegExp(
  `^(ce-.*|${[...idHeaders, ...webhookIds].join('|')}|dlo-event-id|x-goog-pubsub-.*|pulsar.*|x-cloudtasks-.*|content-encoding)$`,
);

function toParts(
  { headers, unsignedHeaders, ...request }: ParsedInbound,
  bodies: readonly Buffer[],
): ParsedInbound[] | undefined {
  if (bodies.length === 0 || bodies.length > maxParts) return undefined;
  const { 'content-type': type = '', 'idempotency-key': key } = headers;
  const keepOwn = (all: ParsedInbound['headers']) =>
    bodies.length === 1 ? all : pickHeaders(all, (name) => !naming.test(name));
  // These say how each element is read.
  const isOfEach = isReportType(type) || /^application\/vnd\.kafka\./i.test(type);
  const own = { ...keepOwn(headers), 'content-type': isOfEach ? type : 'application/json' };
  return bodies.map((body, i) => ({
    ...request,
    ...toContent(body),
    unsignedHeaders: unsignedHeaders && keepOwn(unsignedHeaders),
    headers: key ? { ...own, 'idempotency-key': `${key}/${i}` } : own,
  }));
}
