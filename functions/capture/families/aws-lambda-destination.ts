import { findApplicationId, keyFromHeaders } from '../identity.ts';
import { sliceMembers } from '../json-source.ts';
import type { Family } from '../message.ts';
import { decodeUtf8, isObject, joinReason, parseBody, toCount, toFact } from '../text.ts';

/**
 * The record that Lambda sends to an on-failure destination: `{"requestContext": {"requestId", "functionArn",
 * "condition", "approximateInvokeCount"}, "requestPayload", "responsePayload": {"errorType", "errorMessage",
 * "stackTrace"}}`. The event that failed is the request's payload.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export const readLambdaDestination: Family = ({ body, headers }) => {
  const json = parseBody(body);
  if (!isObject(json) || !isObject(json.requestContext) || !('requestPayload' in json)) return undefined;
  const { requestId, functionArn, condition, approximateInvokeCount } = json.requestContext;
  const [id, consumer] = [toFact(requestId), toFact(functionArn)];
  if (id === null || consumer === null) return undefined;
  const [members] = sliceMembers(decodeUtf8(body) ?? '');
  const request = isObject(json.requestPayload) ? json.requestPayload : {};
  const response = isObject(json.responsePayload) ? json.responsePayload : {};
  const stack = Array.isArray(response.stackTrace) ? response.stackTrace : [];
  return {
    body: Buffer.from(members?.get('requestPayload') ?? ''),
    contentType: 'application/json',
    eventKey: keyFromHeaders(headers, consumer) ?? `lambda:${id}@${consumer}`,
    eventId: findApplicationId(headers),
    eventType: toFact(request['detail-type']) ?? 'unknown',
    errorReason: joinReason(toFact(response.errorType), toFact(response.errorMessage)) ?? toFact(condition),
    errorStacktrace: toFact(stack.filter((line) => typeof line === 'string').join('\n')),
    errorClass: toFact(response.errorType),
    sourceKind: 'aws-lambda',
    sourceTopic: null,
    sourceKey: null,
    consumerGroup: consumer,
    sourceAttempts: toCount(approximateInvokeCount),
    occurredAt: null,
  };
};
