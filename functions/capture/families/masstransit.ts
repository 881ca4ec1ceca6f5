import { hasHeader, readerOf } from '../header-value.ts';
import { findApplicationId, keyFromHeaders, withConsumer } from '../identity.ts';
import type { Family } from '../message.ts';
import { isObject, joinReason, parseBody, toCount, toFact, toMoment } from '../text.ts';

/**
 * A message in an `_error` or `_skipped` queue of MassTransit. The body stays the whole envelope, which its consumers
 * expect. A count of retries is written only if there were some.
 * https://github.com/MassTransit/MassTransit/blob/develop/src/MassTransit.Abstractions/MessageHeaders.cs
 */
export const readMassTransit: Family = ({ body, headers, facts }) => {
  if (!hasHeader(headers, /^mt-/i)) return undefined;
  const read = readerOf(headers);
  const fault = (name: string) => read(`MT-Fault-${name}`);
  const reason = read('MT-Reason');
  if (reason === null && fault('Message') === null && fault('ExceptionType') === null) return undefined;
  const json = parseBody(body);
  const envelope = isObject(json) ? json : {};
  const messageId = read('MT-OriginalMessageId') ?? toFact(envelope.messageId);
  const inputAddress = fault('InputAddress');
  const idKey = messageId === null ? facts.eventKey : withConsumer(`masstransit:${messageId}`, inputAddress);
  const eventKey = keyFromHeaders(headers, inputAddress) ?? idKey;
  const [messageType] = Array.isArray(envelope.messageType) ? envelope.messageType : [];
  return {
    ...(eventKey !== undefined && { eventKey }),
    eventId: findApplicationId(headers) ?? messageId,
    eventType: fault('MessageType') ?? toFact(messageType) ?? 'unknown',
    errorReason: joinReason(fault('ExceptionType'), fault('Message')) ?? reason,
    errorStacktrace: fault('StackTrace'),
    errorClass: fault('ExceptionType'),
    sourceKind: 'masstransit',
    sourceTopic: inputAddress,
    sourceSubscription: null,
    sourceKey: null,
    consumerGroup: fault('ConsumerType'),
    sourceAttempts: reason === 'fault' ? (toCount(fault('RetryCount')) ?? 0) + 1 : null,
    occurredAt: toMoment(envelope.sentTime),
  };
};
