import { digest } from '../../shared/capture/identity.ts';
import type { TestDatabase } from './database.ts';

/** An event that a fixture expects; test/fixtures/README.md maps its fields to columns. */
export type ExpectedRecord = {
  readonly event_key: string;
  readonly headers: Record<string, unknown>;
  readonly [field: string]: unknown;
};

export type Fixture = {
  readonly name: string;
  readonly http: {
    readonly method: string;
    readonly path: string;
    readonly headers: Record<string, string>;
    readonly body_encoding: 'json' | 'text' | 'base64';
    readonly body: unknown;
  };
  readonly expect: ExpectedRecord | { readonly records: readonly ExpectedRecord[] };
};

/** Sends a fixture's request, byte for byte. */
export function postFixture(url: string, { http }: Fixture): Promise<Response> {
  const { method, headers } = http;
  return fetch(new URL(http.path.replace(/^\//, ''), url), { method, headers, body: toBytes(http) });
}

function toBytes({ body, body_encoding }: Fixture['http']): Buffer<ArrayBuffer> {
  if (body_encoding === 'json') return Buffer.from(JSON.stringify(body));
  return Buffer.from(String(body), body_encoding === 'text' ? 'utf8' : 'base64');
}

/**
 * Reads all events of the database in the form of fixtures, in the order of `expected`, with the headers that
 * the fixture names.
 */
export async function readRecords(
  { sql }: TestDatabase,
  expected: readonly ExpectedRecord[],
): Promise<unknown[]> {
  const rows = await sql<Record<string, unknown>>(
    `select *, event_key || coalesce('@' || (arrival ->> 'consumer'), '') as event_key from dlq_events`,
  );
  const records = rows.map((row) =>
    toRecord(
      row,
      expected.find(({ event_key }) => event_key === row.event_key),
    ),
  );
  const keys = expected.map(({ event_key }) => event_key);
  return records.sort((a, b) => keys.indexOf(String(a.event_key)) - keys.indexOf(String(b.event_key)));
}

function toRecord(row: Record<string, unknown>, expected: ExpectedRecord | undefined) {
  const headers = row.headers as Record<string, unknown>;
  const named = Object.keys(expected?.headers ?? {}).map((name) => [name, headers[name]]);
  return {
    event_key: row.event_key,
    event_type: row.event_type,
    payload: row.payload,
    payload_encoding: row.payload_encoding,
    error_reason: row.error_reason === 'not reported' ? null : row.error_reason,
    error_stacktrace: isDigest(expected?.error_stacktrace)
      ? `sha256:${digest(String(row.error_stacktrace))}`
      : row.error_stacktrace,
    ...(expected && 'error_class' in expected && { error_class: row.error_class }),
    ...(expected && 'metadata' in expected && { metadata: row.metadata }),
    source: {
      kind: row.source_kind,
      topic: row.source_topic,
      partition: row.source_partition,
      offset: row.source_offset === null ? null : Number(row.source_offset),
      key: row.source_key,
      subscription: row.source_subscription,
      consumer_group: row.consumer_group,
    },
    attempts: row.source_attempts,
    trace_id: row.trace_id,
    original_timestamp: row.occurred_at instanceof Date ? row.occurred_at.toISOString() : null,
    headers: Object.fromEntries(named),
  };
}

function isDigest(stacktrace: unknown): boolean {
  return typeof stacktrace === 'string' && stacktrace.startsWith('sha256:');
}
