import type { Database } from '../../../shared/database.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import type { HeaderValue, Status } from '../../../shared/events.ts';
import { statement } from '../../../shared/sql.ts';

/** An event as people look at it. `body` and `payload_text` are its beginning, `bytes` is its whole size. */
export type EventView = {
  readonly id: string;
  readonly event_key: string;
  readonly event_type: string;
  readonly event_id: string | null;
  readonly status: Status;
  readonly priority: number;
  readonly payload_encoding: 'json' | 'text' | 'base64' | 'none';
  readonly content_type: string | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly metadata: unknown;
  readonly body: Buffer | null;
  readonly bytes: number;
  readonly payload_text: string | null;
  readonly error_class: string | null;
  readonly error_reason: string;
  readonly error_stacktrace: string | null;
  readonly failure_kind: string | null;
  readonly fingerprint: string | null;
  readonly source_kind: string;
  readonly source_topic: string | null;
  readonly source_partition: number | null;
  readonly source_offset: string | null;
  readonly source_key: string | null;
  readonly source_subscription: string | null;
  readonly consumer_group: string | null;
  readonly source_attempts: number | null;
  readonly trace_id: string | null;
  readonly occurred_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly first_failure_at: Date;
  readonly last_failure_at: Date;
  readonly failure_count: number;
  readonly retry_count: number;
  readonly max_retries: number | null;
  readonly retry_after: Date;
  readonly processed_at: Date | null;
  readonly lease_expires_at: Date | null;
  readonly is_archived: boolean;
};

/** So much of a payload is looked at; who wants more downloads it. */
export const mostBytes = 262_144;

const readEventRow = statement<{ id: string; most: number }, EventView>('read-event');

/** Throws a NotFoundError for what is no id, or no event's. */
export async function readEvent(db: Database, id: string, most = mostBytes): Promise<EventView> {
  const isId = /^[1-9]\d{0,17}$/.test(id);
  const [event] = isId ? await readEventRow(db, { id, most }) : [];
  if (!event) throw new NotFoundError(`There is no event ${id.slice(0, 40)}`);
  return event;
}

/** The bytes of a payload, or as many as were read. */
export function bytesOf({ body, payload_text, payload_encoding }: EventView): Buffer {
  if (body) return body;
  return payload_encoding === 'none' ? Buffer.alloc(0) : Buffer.from(payload_text ?? '');
}
