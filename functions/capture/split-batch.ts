import { keyFromContent } from './identity.ts';
import { minify, sliceElements } from './json-source.ts';
import type { Inbound } from './message.ts';
import { decodeUtf8, isObject, parseBody, parseJson } from './text.ts';

/** One event of a batch as a request of its own, and its identity if it has no better one than its content. */
export type Part = { readonly request: Inbound; readonly contentKey: string };

/** No bridge sends more; what has more is data of one event, and would be too many rows for one statement. */
const mostParts = 10_000;

/**
 * Splits a request that carries several events: a JSON array, JSON on each line, JSON between commas, or a batch of
 * CloudEvents. An array may also be one event, which only the sender knows: it says so by `?split=false`. Undefined
 * where there is nothing to split.
 */
export function splitBatch(request: Inbound): Part[] | undefined {
  const contentType = request.headers['content-type'] ?? '';
  const isCloudEvents = /^application\/cloudevents-batch/i.test(contentType);
  if (request.query.get('split') === 'false' && !isCloudEvents) return undefined;
  const json = parseBody(request.body);
  // No events at all are allowed in a batch of CloudEvents; any other empty array is an event.
  if (Array.isArray(json) && json.length === 0) return isCloudEvents ? [] : undefined;
  if (Array.isArray(json)) return splitArray(request, decodeUtf8(request.body) ?? '');
  if (/\b(ndjson|jsonl|jsonlines)\b/i.test(contentType)) return toParts(request, readLines(request.body));
  return json === undefined ? splitUndeclared(request) : undefined;
}

function splitArray(request: Inbound, json: string): Part[] | undefined {
  const elements = sliceElements(json);
  return toParts(
    request,
    elements.map((element) => Buffer.from(element)),
    (i) => Buffer.from(minify(elements[i] ?? '')),
  );
}

/** Sinks send batches without saying so: objects on several lines, or with nothing but commas between them. */
function splitUndeclared(request: Inbound): Part[] | undefined {
  if (request.body[0] !== '{'.charCodeAt(0)) return undefined;
  const lines = readLines(request.body);
  const isJson = lines.length > 1 && lines.every((line) => isObject(parseJson(decodeUtf8(line))));
  if (isJson) return toParts(request, lines);
  const array = `[${decodeUtf8(request.body) ?? ''}]`;
  return parseJson(array) === undefined ? undefined : splitArray(request, array);
}

function readLines(body: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const end = body.indexOf('\n', start);
    const next = end === -1 ? body.length : end;
    const line = body.subarray(start, body[next - 1] === '\r'.charCodeAt(0) ? next - 1 : next);
    if (line.toString('latin1').trim() !== '') lines.push(line);
    start = next + 1;
  }
  return lines;
}

/** The headers of the request are those of its only part; of several, nobody knows to which they belong. */
function toParts(
  { headers, ...request }: Inbound,
  bodies: readonly Buffer[],
  contentOf = (i: number) => bodies[i] ?? Buffer.alloc(0),
): Part[] | undefined {
  if (bodies.length === 0 || bodies.length > mostParts) return undefined;
  const { traceparent } = headers;
  const own = bodies.length === 1 ? headers : traceparent === undefined ? {} : { traceparent };
  return bodies.map((body, i) => ({
    request: { ...request, body, headers: { ...own, 'content-type': 'application/json' } },
    contentKey: keyFromContent(contentOf(i)),
  }));
}
