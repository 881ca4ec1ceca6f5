import type { HeaderValue } from '../../events/event.ts';
import { isObject } from '../../json/parse-json.ts';
import { restoreBody } from '../../message/restore-body.ts';
import { toBigCount, toCount, toDate, toPriority, toRetryAfter } from '../column-values.ts';
import { keepExactly, type Member, type Members, readMembers, readText } from '../json-members.ts';
import type { Capture, Facts, Message } from '../message.ts';

/** The columns that are facts of the capture, with what reads them. */
const columns = {
  contentType: ['content_type'],
  publication: ['publication'],
  eventId: ['event_id'],
  eventType: ['event_type'],
  errorClass: ['error_class'],
  errorStacktrace: ['error_stacktrace'],
  sourceTopic: ['source_topic'],
  sourcePartition: ['source_partition', toCount],
  sourceOffset: ['source_offset', toBigCount],
  sourceKey: ['source_key'],
  sourceSubscription: ['source_subscription'],
  consumerGroup: ['consumer_group'],
  sourceAttempts: ['source_attempts', toCount],
  traceId: ['trace_id'],
  occurredAt: ['occurred_at', toDate],
  maxRetries: ['max_retries', toCount],
} as const satisfies Partial<Record<keyof Capture, readonly [string, ((value: unknown) => unknown)?]>>;

/**
 * An event that another deployment exported: the same message, identity, failure and origin. Columns that a
 * capture cannot set, and the attempts, are in `metadata.imported`. A second import of the event is a
 * repetition, never a recurrence. An event that was closed is no failure: it is kept as any other message.
 */
export function readExportedEvent({ json, body }: Message): Partial<Capture> | undefined {
  const members = readMembers({ value: json, source: body.toString() });
  const event = readColumns(members?.get('event'));
  const message = readBody(event);
  if (message === undefined) return undefined;
  const facts = Object.entries(columns).map(([fact, [column, read]]) => {
    const text = readColumn(event, column);
    return [fact, read && text !== null ? read(text) : text];
  });
  const reason = readColumn(event, 'error_reason');
  return {
    ...(Object.fromEntries(facts) as Partial<Capture>),
    body: message,
    headers: readHeaders(event.get('headers')?.value),
    origin: readOrigin(event.get('is_exact')?.value),
    hasEmptyValue: message.length === 0 && event.get('payload_encoding')?.value !== 'none',
    ...readIdentity(event),
    errorReason: reason === 'not reported' ? null : reason,
    sourceKind: readColumn(event, 'source_kind') ?? 'unknown',
    sourceKeyBase64: readBytes(event.get('source_key_bytes'))?.toString('base64') ?? null,
    ...readDecision(event),
    metadata: readMetadata(event, members?.get('attempts')),
  };
}

function readOrigin(isExact: unknown): Capture['origin'] {
  if (isExact === true) return null;
  return isExact === false ? 'report' : 'bridge';
}

/** A permanent failure waits for an operator here, too, and a retry for its backoff. */
function readDecision(event: Members): Partial<Facts> {
  const isPermanent = event.get('status')?.value === 'FAILED_PERMANENTLY';
  const isRetried = !isPermanent && readColumn(event, 'retry_count') !== '0';
  return {
    errorKind: isPermanent ? 'permanent' : null,
    retryAfter: isRetried ? toRetryAfter(readColumn(event, 'retry_after')) : null,
    // 0 is the default.
    priority: toPriority(readColumn(event, 'priority')) || null,
  };
}

function readIdentity(event: Members): Partial<Facts> {
  const [, key, consumer = null] =
    /^([^@]*)(?:@(.*?))?(?:#[\da-f]{19,24}(?:~\d+)?)?$/s.exec(readColumn(event, 'event_key') ?? '') ?? [];
  return {
    ...(key && { eventKey: key.replaceAll('%40', '@').replaceAll('%25', '%'), consumer: consumer || null }),
    // Never a recurrence: the failure is the one that the other deployment captured. The broker may deliver
    // the same message here.
    deliveryId:
      readColumn(event, 'delivery_id') ??
      `export:${readColumn(event, 'id')}/${readColumn(event, 'created_at')}`,
  };
}

/** The exact bytes. Returns undefined for bytes in an unknown notation. */
function readBody(event: Members): Buffer | undefined {
  const [body, payload] = [event.get('body'), event.get('payload')];
  const encoding = event.get('payload_encoding')?.value;
  if (encoding === 'none') return Buffer.alloc(0);
  if (typeof body?.value === 'string') return readBytes(body);
  if (!payload) return undefined;
  const payloadEncoding = encoding === 'text' || encoding === 'base64' ? encoding : 'json';
  const printedAs = readColumn(event, 'printed_as');
  try {
    return restoreBody({ body: null, payloadText: payload.source, payloadEncoding, printedAs });
  } catch {
    return undefined;
  }
}

/** PostgreSQL prints bytes as `\x` and hex. */
function readBytes(member: Member | undefined): Buffer | undefined {
  const [, hex] = /^\\x((?:[\da-f]{2})*)$/.exec(typeof member?.value === 'string' ? member.value : '') ?? [];
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}

function readHeaders(headers: unknown): Record<string, HeaderValue> {
  const entries = isObject(headers) ? Object.entries(headers) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, HeaderValue] => isHeader(entry[1])));
}

function isHeader(value: unknown): value is HeaderValue {
  return Array.isArray(value) ? value.every(isSingle) : isSingle(value);
}

function isSingle(value: unknown): boolean {
  return typeof value === 'string' || (isObject(value) && typeof value.base64 === 'string');
}

/** Columns that are facts of the capture, follow from them, or are secrets of the other deployment. */
const carried = new Set<string>([
  ...Object.values(columns).map(([column]) => column),
  ...['body', 'payload', 'payload_encoding', 'printed_as', 'is_exact', 'event_key', 'delivery_id'],
  ...['conflicts_with', 'error_reason', 'source_kind', 'source_key_bytes', 'retry_after', 'priority'],
  ...['fingerprint', 'is_open', 'is_blocking', 'sequence', 'lane', 'order_key', 'delivery_count'],
  ...['failed_delivery', 'redelivery_token', 'lease_token', 'lease_expires_at'],
]);

/**
 * The metadata of the event, without what refers to the other deployment: that, and its other columns, are in
 * `imported`.
 */
function readMetadata(event: Members, attempts: Member | undefined): Facts['metadata'] {
  const [metadata, headers] = [event.get('metadata'), event.get('headers')];
  const own = metadata && readMembers(metadata);
  const areAllRead = Object.values(Object(headers?.value)).every(isHeader);
  const imported = new Map(
    [...event].filter(([column, { value }]) => !carried.has(column) && value !== null),
  );
  if (own) imported.delete('metadata');
  if (areAllRead) imported.delete('headers');
  for (const name of ['imported', 'decided']) copy(own, name, imported);
  if (attempts && Object(attempts.value).length > 0) imported.set('attempts', attempts);
  return { ...keepAll([...(own ?? [])]), imported: keepAll([...imported]) };
}

function copy(from: Members | undefined, name: string, to: Map<string, Member>): void {
  const member = from?.get(name);
  if (member) to.set(name, member);
}

function keepAll(members: readonly (readonly [string, Member])[]): Record<string, unknown> {
  return Object.fromEntries(members.map(([name, member]) => [name, keepExactly(member)]));
}

function readColumns(member: Member | undefined): Members {
  return (member && readMembers(member)) ?? new Map();
}

function readColumn(event: Members, column: string): string | null {
  const member = event.get(column);
  return member ? readText(member) : null;
}
