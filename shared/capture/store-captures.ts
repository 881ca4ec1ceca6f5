import type { Database } from '../database/database.ts';
import { probes } from '../database/probes.ts';
import { statement } from '../database/statement.ts';
import { toStorableText } from '../database/storable-text.ts';
import { errorCodeOf } from '../database/unavailable.ts';
import { hashId, hashIds, maxRead } from '../events/hash-ids.ts';
import { fingerprint } from '../fingerprint/fingerprint.ts';
import { crowdOf } from '../fingerprint/new-reasons.ts';
import { freeBuffer } from '../join-buffers.ts';
import { listPassing } from '../message/failure-headers.ts';
import { type Capture, factList } from './message.ts';
import { replaceUnstorable } from './payload.ts';

/** `repeatSeconds`: how long a failure is taken for the same one if nothing says which delivery failed. */
export type StoreDeps = {
  readonly db: Database;
  readonly repeatSeconds: number;
};

/**
 * Where a capture is stored: the id of its event's row, whether it inserted the row, and the event it
 * contradicts.
 */
export type Stored = {
  readonly id: string;
  readonly isNew: boolean;
  readonly conflictsWith: string | null;
};

const captureEvents = statement<{ captures: string; bodies: Buffer; repeatSeconds: number }, Stored>(
  'capture-events',
);

/**
 * Stores captures in one statement, all or none, and returns the result of each, in their order, after the
 * commit. Throws what Database.query throws.
 */
export async function storeCaptures(deps: StoreDeps, captures: readonly Capture[]): Promise<Stored[]> {
  const { db, repeatSeconds } = deps;
  // As bytes, not within the JSON: neither side has to escape, print or parse them.
  const [first] = captures;
  const bodies =
    first && captures.length === 1 ? first.body : Buffer.concat(captures.map(({ body }) => body));
  try {
    return await captureEvents(db, { captures: toJson(captures), bodies, repeatSeconds });
  } finally {
    if (captures.length > 1) freeBuffer(bodies);
  }
}

function toJson(captures: readonly Capture[]): string {
  let bodyStart = 1;
  const rows = captures.map((capture) => {
    const row = toRow(capture, bodyStart);
    bodyStart += capture.body.length;
    return row;
  });
  return `[${rows.join()}]`;
}

/** Omits nulls: each row is sent and parsed for each capture. */
function toRow(capture: Capture, bodyStart: number): string {
  const { content, encoding, printedAs } = capture.payload;
  const row: Record<string, unknown> = {};
  for (const [fact, [column]] of factList) if (capture[fact] !== null) row[column] = capture[fact];
  // From now on: a capture may wait for its statement.
  if (typeof capture.retryAfter === 'number')
    row.retry_after = new Date(Date.now() + 1000 * capture.retryAfter);
  if (capture.contentType !== null) row.content_type = capture.contentType;
  Object.assign(row, readGroup(capture));
  row.headers = capture.headers;
  // Of others, headers are not those of the request.
  const isNamed = /^(value|cloudevents)$/.test(capture.transport) && !capture.eventKey.startsWith('sha256:');
  row.passing = listPassing(capture.headers, capture.sourceKind, isNamed);
  row.payload_encoding = encoding;
  row.content = content;
  row.printed_as = printedAs;
  row.body_start = bodyStart;
  row.body_length = capture.body.length;
  row.id_hashes = listHashes(capture);
  return replaceUnstorable(JSON.stringify(row));
}

/** The hashes by which a search for an id finds the event, as an array of PostgreSQL; 002_plain-sql.sql. */
function listHashes(capture: Capture): string {
  const { errorReason, headers, text, body, payload } = capture;
  // Ids are ASCII, whose bytes are the same in UTF-8.
  const message = payload.encoding === 'base64' ? null : (text ?? body.toString('latin1', 0, maxRead));
  const values = Object.values(headers).filter((value) => typeof value === 'string');
  const own = [capture.eventId, capture.sourceKey, capture.traceId].flatMap((id) => (id ? [hashId(id)] : []));
  return `{${[...own, ...hashIds([errorReason, message, ...values])]}}`;
}

/** Uses the text as stored, so that a fingerprint computed from the row is the same. */
function readGroup(capture: Capture): { readonly fingerprint: string; readonly crowd: string | undefined } {
  const stored = (text: string | null) => (text === null ? null : toStorableText(text));
  const failure = {
    eventType: toStorableText(capture.eventType),
    consumer: stored(capture.sourceSubscription ?? capture.consumerGroup),
    errorClass: stored(capture.errorClass),
    errorReason: stored(capture.errorReason),
    errorStacktrace: stored(capture.errorStacktrace),
  };
  const computed = fingerprint(failure);
  return { fingerprint: computed, crowd: crowdOf(failure, computed) ?? undefined };
}

const captureAndUndo = statement<Record<string, never>, never>('probe-capture');

/**
 * Finds out whether events can be stored, without writing any; after a failure (`hasFailed`), by storing one
 * that is rolled back: only that shows whether the disk has room again. Throws what Database.query throws.
 */
export async function probeCapture(db: Database, hasFailed: boolean): Promise<void> {
  if (!hasFailed) return void (await probes.capture(db));
  await captureAndUndo(db, {}).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'DLO01') throw error;
  });
}
