import { restoreBody, type StoredMessage } from '../../../shared/message/printed-message.ts';

/** The columns of dlq_events that the bytes of a message follow from. */
export const messageColumns =
  'body, payload::text as "payloadText", payload_encoding as "payloadEncoding", printed_as as "printedAs"';

/** Replaces these columns by the bytes of the message. */
export function withBytes<Row extends StoredMessage>(row: Row) {
  const { body, payloadText, payloadEncoding, printedAs, ...others } = row;
  return { ...others, body: restoreBody({ body, payloadText, payloadEncoding, printedAs }) };
}
