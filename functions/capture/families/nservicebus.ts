import { hasHeader, readerOf } from '../header-value.ts';
import { findApplicationId, keyFromHeaders, withConsumer } from '../identity.ts';
import type { Family } from '../message.ts';
import { joinReason, toCount, toMoment } from '../text.ts';

/**
 * A message in the error queue of NServiceBus. Its count of retries is of the delayed ones only, and so the least.
 * https://docs.particular.net/nservicebus/messaging/headers
 */
export const readNServiceBus: Family = ({ headers, facts }) => {
  if (!hasHeader(headers, /^nservicebus\./i)) return undefined;
  const read = readerOf(headers);
  const told = (name: string) => read(`NServiceBus.${name}`);
  const exception = (name: string) => told(`ExceptionInfo.${name}`);
  const failedQueue = told('FailedQ');
  if (failedQueue === null && exception('Message') === null) return undefined;
  const messageId = told('MessageId');
  const idKey = messageId === null ? facts.eventKey : withConsumer(`nservicebus:${messageId}`, failedQueue);
  const eventKey = keyFromHeaders(headers, failedQueue) ?? idKey;
  const [eventType] = told('EnclosedMessageTypes')?.split(/[,;]/) ?? [];
  const retries = toCount(told('Retries'));
  return {
    ...(eventKey !== undefined && { eventKey }),
    eventId: findApplicationId(headers) ?? messageId,
    eventType: eventType?.trim() || 'unknown',
    errorReason: joinReason(exception('ExceptionType'), exception('Message')),
    errorStacktrace: exception('StackTrace'),
    errorClass: exception('ExceptionType'),
    sourceKind: 'nservicebus',
    sourceTopic: failedQueue,
    sourceSubscription: null,
    sourceKey: null,
    sourceAttempts: retries === null ? null : retries + 1,
    occurredAt: readTime(told('TimeSent')),
  };
};

/** `yyyy-MM-dd HH:mm:ss:ffffff Z`, with a colon before the fraction. */
function readTime(time: string | null): Date | null {
  return toMoment(time?.replace(/^(\S+) (\d\d:\d\d:\d\d):(\d+) Z$/, '$1T$2.$3Z'));
}
