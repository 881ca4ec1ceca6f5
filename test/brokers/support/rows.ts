import type { StoredMessage } from '../../../shared/message/printed-message.ts';
import type { TestDatabase } from '../../support/database.ts';
import type { Header } from './kafka.ts';
import { messageColumns, withBytes } from './stored-message.ts';

/** The values of each header as hexadecimal digits, in their order. */
export type Headers = Readonly<Record<string, readonly string[]>>;

export type ReadRow = {
  readonly kind: string;
  readonly class: string | null;
  readonly reason: string;
  readonly group: string | null;
  readonly attempts: number | null;
  readonly eventKey: string;
  readonly eventType: string;
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: number | null;
  readonly key: string | null;
  readonly body: string;
  readonly occurredAt: number | null;
  readonly headers: Headers;
};

type Row = Omit<ReadRow, 'headers' | 'body'> &
  StoredMessage & { readonly headers: Readonly<Record<string, unknown>> };

/** Reads all events by their position; key and body as hexadecimal digits. */
export async function readRows({ sql }: TestDatabase): Promise<ReadRow[]> {
  const rows = await sql<Row>(`
    select source_kind as kind, error_class as class, error_reason as reason, consumer_group as group,
      source_attempts as attempts,
      event_key || coalesce('@' || (arrival ->> 'consumer'), '') as "eventKey", event_type as "eventType", source_topic as topic,
      source_partition as partition, source_offset::int as offset,
      encode(coalesce(source_key_bytes, convert_to(source_key, 'UTF8')), 'hex') as key,
      ${messageColumns},
      (extract(epoch from occurred_at) * 1000)::float as "occurredAt", headers
    from dlq_events order by source_topic, source_partition, source_offset, id`);
  return rows.map(withBytes).map(({ headers, body, ...row }) => ({
    ...row,
    body: body.toString('hex'),
    headers: decodeHeaders(headers),
  }));
}

function decodeHeaders(headers: Readonly<Record<string, unknown>>): Headers {
  const decoded = Object.entries(headers).map(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return [name, values.map(toHex)] as const;
  });
  return Object.fromEntries(decoded);
}

function toHex(value: string | { readonly base64: string }): string {
  const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.base64, 'base64');
  return bytes.toString('hex');
}

/** Groups the headers of a record by name. A header without a value is stored as an empty one. */
export function toHeaders(headers: readonly Header[]): Headers {
  const grouped: Record<string, string[]> = {};
  for (const [name, value] of headers) {
    grouped[name] = [...(grouped[name] ?? []), value?.toString('hex') ?? ''];
  }
  return grouped;
}
