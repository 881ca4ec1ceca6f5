import { isObject } from '../../json/parse-json.ts';
import { toCount, toDate, toText } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { hasHeader, readHeader } from '../header-values.ts';
import { findApplicationId, keyFromHeaders } from '../identity.ts';
import type { DeadLetterFormat } from '../message.ts';

/**
 * A message in an `_error` or `_skipped` queue of MassTransit. The body stays the whole envelope, which MassTransit's
 * consumers expect. The retry count is missing for a message that was not retried.
 * https://github.com/MassTransit/MassTransit/blob/develop/src/MassTransit.Abstractions/MessageHeaders.cs
 */
export const readMassTransit: DeadLetterFormat = ({ json, headers, facts }) => {
  if (!hasHeader(headers, /^mt-/i)) return undefined;
  const header = (name: string) => readHeader(headers, `MT-${name}`);
  const fault = (name: string) => header(`Fault-${name}`);
  const reason = header('Reason');
  if (reason === null && fault('Message') === null && fault('ExceptionType') === null) return undefined;
  const envelope = isObject(json) ? json : {};
  const messageId = header('OriginalMessageId') ?? toText(envelope.messageId);
  const inputAddress = fault('InputAddress');
  const idKey = messageId === null ? facts.eventKey : `masstransit:${messageId}`;
  const eventKey = keyFromHeaders(headers) ?? idKey;
  const [messageType] = Array.isArray(envelope.messageType) ? envelope.messageType : [];
  return {
    ...(eventKey !== undefined && { eventKey }),
    eventId: findApplicationId(headers) ?? messageId,
    eventType: fault('MessageType') ?? toText(messageType) ?? 'unknown',
    errorReason: joinReason(fault('ExceptionType'), fault('Message')) ?? reason,
    errorStacktrace: fault('StackTrace'),
    errorClass: fault('ExceptionType'),
    sourceKind: 'masstransit',
    consumer: inputAddress,
    sourceTopic: inputAddress,
    sourceSubscription: null,
    sourceKey: null,
    consumerGroup: fault('ConsumerType'),
    sourceAttempts: reason === 'fault' ? (toCount(fault('RetryCount')) ?? 0) + 1 : null,
    occurredAt: toDate(envelope.sentTime),
  };
};
