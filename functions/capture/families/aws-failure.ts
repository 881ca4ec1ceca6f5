import { readerOf } from '../header-value.ts';
import type { Family } from '../message.ts';
import { isObject, joinReason, parseBody, toCount, toFact } from '../text.ts';

/**
 * What EventBridge or Lambda writes beside an event that it puts into a queue or topic for dead letters. EventBridge
 * counts retries, Lambda nothing.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export const readAwsFailure: Family = ({ body, headers, facts }) => {
  if (!facts.sourceKind?.startsWith('aws-')) return undefined;
  const told = readerOf(headers);
  const code = told('ERROR_CODE') ?? told('ErrorCode');
  const errorReason = joinReason(code, told('ERROR_MESSAGE') ?? told('ErrorMessage'));
  if (errorReason === null) return undefined;
  const retries = toCount(told('RETRY_ATTEMPTS'));
  const event = parseBody(body);
  const detailType = isObject(event) ? toFact(event['detail-type']) : null;
  return {
    errorReason,
    errorClass: code,
    consumerGroup: told('TARGET_ARN'),
    ...(retries !== null && { sourceAttempts: retries + 1 }),
    ...(facts.eventType === 'unknown' && detailType !== null && { eventType: detailType }),
  };
};
