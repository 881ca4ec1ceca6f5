import type { ServerResponse } from 'node:http';
import { openByteLimit } from '../../shared/byte-limit.ts';
import { coalesceCaptures } from '../../shared/capture/coalesce-captures.ts';
import type { Capture } from '../../shared/capture/message.ts';
import { readCapturesInTurns } from '../../shared/capture/read-captures.ts';
import { type Addressed, openSources } from '../../shared/capture/sources/find-source.ts';
import type { SourceRecord } from '../../shared/capture/sources/source.ts';
import { type StoreDeps, type Stored, storeCaptures } from '../../shared/capture/store-captures.ts';
import { within } from '../../shared/database/database.ts';
import { toStorableText } from '../../shared/database/storable-text.ts';
import { freeBuffer } from '../../shared/join-buffers.ts';
import { log } from '../../shared/log.ts';
import { answerJson, type Endpoint, onlyPost } from '../endpoint.ts';
import type { Health } from '../health.ts';
import { openBodyReader } from '../read-body.ts';
import { readTarget } from '../request-target.ts';
import { decompress } from './decompress.ts';
import { readInbound } from './read-inbound.ts';
import { readSignature, verifySignature } from './signature.ts';

/**
 * `secrets`: shared secrets that sign requests; an empty list accepts unsigned requests. `sources`: how the
 * messages of senders are read; one with a secret is signed by it. `maxStatements`: how many statements may
 * run at once, which is the number of connections of `db`. `watch` runs each of them. `maxWaitMs`: how long a
 * large request waits for memory; then the response is 503.
 */
export type CaptureDeps = StoreDeps & {
  readonly secrets: readonly string[];
  readonly sources?: readonly SourceRecord[];
  readonly maxBodyBytes: number;
  readonly maxStatements: number;
  readonly maxWaitMs?: number;
  readonly watch: Health['watch'];
};

/**
 * Requests of more than this share 12 MiB from their parsing to their commit: meanwhile each takes up to ten
 * times its size.
 */
const maxSmallBytes = 2 ** 18;
const takeMemory = openByteLimit(12 * 2 ** 20);

/**
 * `POST /`: stores the events of a request of any format, and responds after the commit with the id of each
 * event.
 */
export function capture(settings: CaptureDeps): Endpoint {
  const { secrets, sources = [], maxBodyBytes, maxStatements, maxWaitMs = 10_000, watch, ...deps } = settings;
  const findSource = openSources(sources, secrets.length > 0);
  const readBody = openBodyReader(maxBodyBytes);
  const store = coalesceCaptures(async (captures) => {
    const db = within(deps.db, deadlineOf(captures));
    const stored = await watch(() => storeCaptures({ ...deps, db }, captures));
    logCaptures(captures, stored);
    return stored;
  }, maxStatements);
  return onlyPost(async (request, response) => {
    // Before the body: an unsigned request must cost next to nothing.
    const addressed = findSource(readTarget(request.url).path);
    const accepted = listSecrets(addressed.source, secrets);
    const signed = String(request.headers['dlo-signature'] ?? '');
    const signature = accepted.length > 0 ? readSignature(signed, Date.now() / 1000) : undefined;
    const body = await readBody(request, response);
    const { rawHeaders } = request;
    if (signature) verifySignature(accepted, signature, { rawHeaders, body: body.bytes });
    const encoding = request.headers['content-encoding'];
    const decompressed = encoding ? await decompress(body, encoding, maxBodyBytes) : undefined;
    const bytes = decompressed ?? body.bytes;
    const isDecompressed = decompressed !== undefined;
    const isLarge = bytes.length > maxSmallBytes;
    const release = isLarge ? await takeMemory(bytes.length, endOf(response, maxWaitMs)) : undefined;
    try {
      const inbound = readInbound(request, bytes, { signature, isDecompressed, addressed });
      const captures = await readCapturesInTurns(inbound);
      if (captures.length === 0) log('WARNING', 'captured nothing: the request carries no event', noEvents);
      const stored = await store(captures);
      freeBuffer(bytes);
      for (const { body } of captures) freeBuffer(body);
      const events = captures.flatMap((capture, i) => describe(capture, stored[i]));
      answerJson(response, 200, { events });
    } finally {
      release?.();
    }
  });
}

/** Only its own secret signs the requests of a source that has one. */
function listSecrets(source: Addressed['source'], secrets: readonly string[]): readonly string[] {
  return source?.secret === undefined ? secrets : [source.secret];
}

/** Returns a signal of the end of a request: its sender has disconnected, or has waited too long. */
function endOf(response: ServerResponse, maxWaitMs: number): AbortSignal {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  if (response.closed) closed.abort();
  return AbortSignal.any([closed.signal, AbortSignal.timeout(maxWaitMs)]);
}

/**
 * Returns how long to wait for a statement, in ms: 5 s, and more for thousands of events or large messages.
 */
function deadlineOf(captures: readonly Capture[]): number {
  const bytes = captures.reduce((total, { body }) => total + body.length, 0);
  return 5000 + 2 * captures.length + bytes / 4096;
}

const noEvents = { action: 'capture', captured: 0 };

/** The result of one message of the request: its transport and format, and its event as it is stored. */
function describe(capture: Capture, stored: Stored | undefined) {
  if (!stored) return [];
  const { transport, format, eventType, eventId, ignored, unread } = capture;
  const { id, isNew, conflictsWith } = stored;
  return {
    id,
    isNew,
    transport,
    format,
    eventType: toStorableText(eventType),
    eventId: eventId === null ? null : toStorableText(eventId),
    ...(conflictsWith !== null && { conflict: conflictsWith }),
    ...(ignored.length > 0 && { ignored }),
    ...(unread !== null && { unread }),
  };
}

/** Logs one line per source kind of a statement, however many requests share the statement. */
function logCaptures(captures: readonly Capture[], stored: readonly Stored[]): void {
  const kinds = Map.groupBy(captures.keys(), (i) => captures[i]?.sourceKind);
  for (const [sourceKind, indexes] of kinds) {
    const captured = indexes.filter((i) => stored[i]?.isNew).length;
    const duplicates = indexes.length - captured;
    const known = duplicates > 0 ? `, ${duplicates} known already` : '';
    const [first] = indexes.length === 1 ? indexes : [];
    const traceId = first === undefined ? null : captures[first]?.traceId;
    const fields = { action: 'capture', captured, duplicates, sourceKind, ...(traceId && { traceId }) };
    log('INFO', `captured ${captured} from ${sourceKind}${known}`, fields);
  }
}
