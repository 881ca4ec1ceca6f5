import { keyFromHeaders, withConsumer } from '../identity.ts';
import { sliceMembers } from '../json-source.ts';
import type { Family } from '../message.ts';
import { decodeUtf8, isObject, joinReason, parseBody, toFact, toMoment } from '../text.ts';

/**
 * The `Fault<T>` that MassTransit publishes when a consumer fails, in its envelope or bare: `{"faultedMessageId",
 * "timestamp", "exceptions", "faultMessageTypes", "message"}`. The message that failed is in `message`.
 * https://github.com/MassTransit/MassTransit/blob/develop/src/MassTransit.Abstractions/Fault.cs
 */
export const readMassTransitFault: Family = ({ body, headers }) => {
  const json = parseBody(body);
  if (!isObject(json)) return undefined;
  const isBare = 'faultedMessageId' in json;
  const fault = isBare ? json : json.message;
  if (!isObject(fault) || !Array.isArray(fault.exceptions)) return undefined;
  const messageId = toFact(fault.faultedMessageId);
  if (messageId === null) return undefined;
  const [exception] = fault.exceptions.filter(isObject);
  const [messageType] = Array.isArray(fault.faultMessageTypes) ? fault.faultMessageTypes : [];
  // Published by the endpoint whose consumer failed.
  const inputAddress = isBare ? null : toFact(json.sourceAddress);
  const [outer] = sliceMembers(decodeUtf8(body) ?? '');
  const [inner] = isBare ? [outer] : sliceMembers(outer?.get('message') ?? '');
  return {
    body: Buffer.from(inner?.get('message') ?? ''),
    contentType: 'application/json',
    eventKey: keyFromHeaders(headers, inputAddress) ?? withConsumer(`masstransit:${messageId}`, inputAddress),
    eventId: messageId,
    eventType: toFact(messageType) ?? 'unknown',
    errorReason: joinReason(toFact(exception?.exceptionType), toFact(exception?.message)),
    errorStacktrace: toFact(exception?.stackTrace),
    errorClass: toFact(exception?.exceptionType),
    sourceKind: 'masstransit',
    sourceTopic: inputAddress,
    sourceSubscription: null,
    sourceKey: null,
    occurredAt: toMoment(json.sentTime),
  };
};
