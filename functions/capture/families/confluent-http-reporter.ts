import { describeFailure } from '../describe-failure.ts';
import { firstFact, hasHeader } from '../header-value.ts';
import { toPlace } from '../kafka-record.ts';
import type { Family, Message } from '../message.ts';
import { joinReason, toMomentOfMillis } from '../text.ts';

/**
 * The error topic of a Confluent HTTP sink. The record's value is a sentence about the failure; the event is in the
 * header `payload`, unless that was too large for a bridge. What is missing is written out as `null`.
 * https://docs.confluent.io/kafka-connectors/http/current/overview.html
 */
export const readConfluentHttpReporter: Family = (message: Message) => {
  const { headers } = message;
  if (!hasHeader(headers, /^input_record_(topic|partition|offset)$/)) return undefined;
  const told = (name: string) => {
    const fact = firstFact(headers[name]);
    return fact === 'null' ? null : fact;
  };
  const input = (name: string) => told(`input_record_${name}`);
  const status = [told('status_code'), told('reason_phrase')].filter(Boolean).join(' ');
  const payload = told('payload');
  return {
    ...describeFailure(message, {
      kind: 'confluent-http',
      place: toPlace(input('topic'), input('partition'), input('offset')),
      occurredAt: toMomentOfMillis(input('timestamp')),
      reason: joinReason(status || null, told('error_message')),
    }),
    ...(payload !== null && { body: Buffer.from(payload) }),
  };
};
