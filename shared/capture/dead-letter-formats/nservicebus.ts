import { toCount, toDate } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { hasHeader, readHeader } from '../header-values.ts';
import { findApplicationId, keyFromHeaders } from '../identity.ts';
import type { DeadLetterFormat } from '../message.ts';

/**
 * A message in the error queue of NServiceBus. Its retry count is a minimum: it includes delayed retries only.
 * https://docs.particular.net/nservicebus/messaging/headers
 */
export const readNServiceBus: DeadLetterFormat = ({ headers, facts }) => {
  if (!hasHeader(headers, /^nservicebus\./i)) return undefined;
  const header = (name: string) => readHeader(headers, `NServiceBus.${name}`);
  const exception = (name: string) => header(`ExceptionInfo.${name}`);
  const failedQueue = header('FailedQ');
  if (failedQueue === null && exception('Message') === null) return undefined;
  const messageId = header('MessageId');
  const idKey = messageId === null ? facts.eventKey : `nservicebus:${messageId}`;
  const eventKey = keyFromHeaders(headers) ?? idKey;
  const [eventType] = header('EnclosedMessageTypes')?.split(/[,;]/) ?? [];
  const retries = toCount(header('Retries'));
  return {
    ...(eventKey !== undefined && { eventKey }),
    eventId: findApplicationId(headers) ?? messageId,
    eventType: eventType?.trim() || 'unknown',
    errorReason: joinReason(exception('ExceptionType'), exception('Message')),
    errorStacktrace: exception('StackTrace'),
    errorClass: exception('ExceptionType'),
    sourceKind: 'nservicebus',
    consumer: failedQueue,
    sourceTopic: failedQueue,
    sourceSubscription: null,
    sourceKey: null,
    sourceAttempts: retries === null ? null : retries + 1,
    occurredAt: readTime(header('TimeSent')),
  };
};

/** NServiceBus writes `yyyy-MM-dd HH:mm:ss:ffffff Z`, with a colon before the fraction. */
function readTime(time: string | null): Date | null {
  return toDate(time?.replace(/^(\S+) (\d\d:\d\d:\d\d):(\d+) Z$/, '$1T$2.$3Z'));
}
