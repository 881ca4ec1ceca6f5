import { toDateFromMillis } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { firstText, hasHeader } from '../header-values.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { toKafkaPosition } from '../kafka-record.ts';
import type { DeadLetterFormat, Message } from '../message.ts';

/**
 * A record from the error topic of a Confluent HTTP sink. Its value is a sentence about the failure; the event is in the
 * header `payload`, unless that was too large for a bridge. Missing values are written as the text `null`.
 * https://docs.confluent.io/kafka-connectors/http/current/overview.html
 */
export const readConfluentHttpReporter: DeadLetterFormat = (message: Message) => {
  const { headers } = message;
  if (!hasHeader(headers, /^input_record_(topic|partition|offset)$/)) return undefined;
  const header = (name: string) => {
    const fact = firstText(headers[name]);
    return fact === 'null' ? null : fact;
  };
  const input = (name: string) => header(`input_record_${name}`);
  const status = [header('status_code'), header('reason_phrase')].filter(Boolean).join(' ');
  const payload = header('payload');
  return {
    ...describeKafkaFailure(message, {
      kind: 'confluent-http',
      position: toKafkaPosition(input('topic'), input('partition'), input('offset')),
      occurredAt: toDateFromMillis(input('timestamp')),
      reason: joinReason(status || null, header('error_message')),
    }),
    ...(payload !== null && { body: Buffer.from(payload) }),
  };
};
