import { isObject } from '../../json/parse-json.ts';
import { toCount, toText } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { takeMember } from '../failed-message.ts';
import { findApplicationId, keyFromHeaders } from '../identity.ts';
import type { DeadLetterFormat } from '../message.ts';

/**
 * A record that Lambda sends to an on-failure destination: `{"requestContext": {"requestId", "functionArn",
 * "condition", "approximateInvokeCount"}, "requestPayload", "responsePayload": {"errorType", "errorMessage",
 * "stackTrace"}}`. The failed event is the request's payload.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export const readLambdaDestination: DeadLetterFormat = (message) => {
  const { json, headers } = message;
  if (!isObject(json) || !isObject(json.requestContext) || !('requestPayload' in json)) return undefined;
  const { requestId, functionArn, condition, approximateInvokeCount } = json.requestContext;
  const [id, consumer] = [toText(requestId), toText(functionArn)];
  if (id === null || consumer === null) return undefined;
  const applicationKey = keyFromHeaders(headers);
  const request = isObject(json.requestPayload) ? json.requestPayload : {};
  const response = isObject(json.responsePayload) ? json.responsePayload : {};
  const stack = Array.isArray(response.stackTrace) ? response.stackTrace : [];
  return {
    ...takeMember(message, 'requestPayload', []),
    eventKey: applicationKey ?? `lambda:${id}`,
    eventId: findApplicationId(headers),
    eventType: toText(request['detail-type']) ?? 'unknown',
    errorReason: joinReason(toText(response.errorType), toText(response.errorMessage)) ?? toText(condition),
    errorStacktrace: toText(stack.filter((line) => typeof line === 'string').join('\n')),
    errorClass: toText(response.errorType),
    sourceKind: 'aws-lambda',
    sourceTopic: null,
    sourceKey: null,
    consumerGroup: consumer,
    sourceAttempts: toCount(approximateInvokeCount),
    occurredAt: null,
  };
};
