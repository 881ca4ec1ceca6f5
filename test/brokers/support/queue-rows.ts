import type { StoredMessage } from '../../../shared/message/printed-message.ts';
import type { TestDatabase } from '../../support/database.ts';
import { describeBytes, scrub } from './recording.ts';
import { messageColumns, withBytes } from './stored-message.ts';

/**
 * The columns of an event that came from a queue. Times and ids of the software are scrubbed, bytes are
 * described.
 */
export type QueueRow = {
  readonly eventKey: string;
  readonly type: string;
  readonly id: string | null;
  readonly kind: string;
  readonly topic: string | null;
  readonly queue: string | null;
  readonly key: string | null;
  readonly reason: string;
  readonly class: string | null;
  readonly hasStack: boolean;
  readonly attempts: number | null;
  readonly contentType: string | null;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
};

/** Reads all events in order of their keys. Headers about the failure are left out. */
export async function readQueueRows({ sql }: TestDatabase): Promise<QueueRow[]> {
  const rows = await sql<Omit<QueueRow, 'body'> & StoredMessage>(`
    select event_key || coalesce('@' || (arrival ->> 'consumer'), '') as "eventKey", event_type as type, event_id as id, source_kind as kind, source_topic as topic,
      source_subscription as queue, source_key as key, error_reason as reason, error_class as class,
      error_stacktrace is not null as "hasStack", source_attempts as attempts, content_type as "contentType",
      ${messageColumns}, headers
    from dlq_events`);
  return rows
    .map(withBytes)
    .map(({ headers, body, ...row }) => ({
      ...row,
      eventKey: scrub(row.eventKey),
      id: row.id && scrub(row.id),
      body: describeBytes(body),
      headers: Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => !/^x-(?!debezium-)|runid$|^ce-iodebezium(lsn|txid|sequence)$/i.test(name))
          .map(([name, value]) => [name, typeof value === 'string' ? scrub(value) : value]),
      ),
    }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
