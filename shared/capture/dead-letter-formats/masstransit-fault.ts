import { isObject } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import { toDate, toText } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { keyFromHeaders } from '../identity.ts';
import type { DeadLetterFormat } from '../message.ts';

/**
 * The `Fault<T>` that MassTransit publishes when a consumer fails, in its envelope or bare: `{"faultedMessageId",
 * "timestamp", "exceptions", "faultMessageTypes", "message"}`. The failed message is in `message`.
 * https://github.com/MassTransit/MassTransit/blob/develop/src/MassTransit.Abstractions/Fault.cs
 */
export const readMassTransitFault: DeadLetterFormat = ({ body, json, headers }) => {
  if (!isObject(json)) return undefined;
  const isBare = 'faultedMessageId' in json;
  const fault = isBare ? json : json.message;
  if (!isObject(fault) || !Array.isArray(fault.exceptions)) return undefined;
  const messageId = toText(fault.faultedMessageId);
  if (messageId === null) return undefined;
  const [exception] = fault.exceptions.filter(isObject);
  const [messageType] = Array.isArray(fault.faultMessageTypes) ? fault.faultMessageTypes : [];
  // The endpoint whose consumer failed publishes the fault.
  const inputAddress = isBare ? null : toText(json.sourceAddress);
  const [outer] = sliceMembers(body.toString());
  const [inner] = isBare ? [outer] : sliceMembers(outer?.get('message') ?? '');
  const source = inner?.get('message');
  if (source === undefined) return undefined;
  return {
    body: Buffer.from(source),
    contentType: 'application/json',
    eventKey: keyFromHeaders(headers) ?? `masstransit:${messageId}`,
    eventId: messageId,
    eventType: toText(messageType) ?? 'unknown',
    errorReason: joinReason(toText(exception?.exceptionType), toText(exception?.message)),
    errorStacktrace: toText(exception?.stackTrace),
    errorClass: toText(exception?.exceptionType),
    sourceKind: 'masstransit',
    consumer: inputAddress,
    sourceTopic: inputAddress,
    sourceSubscription: null,
    sourceKey: null,
    occurredAt: toDate(json.sentTime),
  };
};
