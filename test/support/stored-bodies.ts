import { restoreBody, type StoredMessage } from '../../shared/message/printed-message.ts';
import type { TestDatabase } from './database.ts';

/** The bytes of the messages of all events, or of those with these ids, by id. */
export async function readBodies({ sql }: TestDatabase, ids?: readonly string[]): Promise<Buffer[]> {
  const rows = await sql<StoredMessage>(
    `select body, payload::text as "payloadText", payload_encoding as "payloadEncoding", printed_as as "printedAs"
     from dlq_events where $1::bigint[] is null or id = any ($1) order by id`,
    [ids ?? null],
  );
  return rows.map(restoreBody);
}
