import { decodeText } from './decode-text.ts';
import { maxHeaders } from './header-values.ts';
import type { Message, ParsedInbound } from './message.ts';
import { splitBatch } from './split-batch.ts';
import { isReportType, readWhole } from './transports/report.ts';
import { transports } from './transports.ts';

/** A message, with its request or part of a batch and the name of its transport. */
export type Found = {
  readonly message: Message;
  readonly request: ParsedInbound;
  readonly transport: string;
  /** Why the request is kept whole, although its transport is known. */
  readonly unread?: string;
};

/**
 * Finds the messages of a request by its transport. One of no known transport is a message, or one for each
 * part of a batch.
 */
export function readMessages(request: ParsedInbound): Found[] {
  const decoded =
    request.json === undefined ? decodeText(request.body, request.headers['content-type']) : undefined;
  const readable = decoded ? { ...request, ...decoded } : request;
  const messages = readTransport(readable);
  if (messages) return messages;
  const parts = splitBatch(readable);
  if (!parts) return [decoded?.json === undefined ? keepWhole(request) : keepText(request, readable)];
  return parts.flatMap(
    ({ request: part, contentKey }) => readTransport(part, contentKey) ?? [keepWhole(part, contentKey)],
  );
}

/** A body in another charset is kept as its bytes, and read and shown as its text. */
function keepText(request: ParsedInbound, readable: ParsedInbound): Found {
  const { message, ...found } = keepWhole(readable);
  return { ...found, message: { ...message, body: request.body, text: readable.body.toString() } };
}

function readTransport(request: ParsedInbound, contentKey?: string): Found[] | undefined {
  const isAllowed = isDeclared(transportNames, request);
  for (const [transport, read] of transports) {
    const messages = isAllowed(transport) ? read(request) : undefined;
    if (messages?.some(hasExcess)) return [{ ...keepWhole(request, contentKey), unread: tooManyHeaders }];
    if (messages) return messages.map((message) => ({ message, request, transport }));
  }
  return undefined;
}

const tooManyHeaders = `not read: more than ${maxHeaders.toLocaleString('en')} headers`;

/** Whether the request is kept whole, as one message, because of the headers of a message in it. */
function hasExcess({ headers }: Message): boolean {
  const values = Object.values(headers);
  return values.length > maxHeaders || values.some((each) => Array.isArray(each) && each.length > maxHeaders);
}

const isAny = () => true;

/** A body of no known format is kept as it is, and so is one that is declared as a report but is none. */
function keepWhole(request: ParsedInbound, contentKey?: string): Found {
  const transport = isReportType(request.headers['content-type']) ? 'report' : 'value';
  return { message: readWhole(request, contentKey), request, transport };
}

const transportNames = transports.map(([name]) => name);

/** Whether a source has declared a transport or format; all are, if it has declared none of these. */
export function isDeclared(names: readonly string[], { source }: ParsedInbound): (name: string) => boolean {
  const format = source?.format;
  if (format === undefined) return isAny;
  if (format === 'message') return () => false;
  return names.includes(format) ? (name) => name === format : isAny;
}
