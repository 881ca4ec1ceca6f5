import { isObject } from '../../json/parse-json.ts';
import { toCount, toText } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { readHeader } from '../header-values.ts';
import type { DeadLetterFormat } from '../message.ts';

/**
 * An event that EventBridge or Lambda sent to a dead-letter queue or topic, with the error in its attributes. EventBridge
 * adds a count of retries.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export const readAwsFailure: DeadLetterFormat = ({ json, headers, facts }) => {
  if (!facts.sourceKind?.startsWith('aws-')) return undefined;
  const header = (name: string) => readHeader(headers, name);
  const code = header('ERROR_CODE') ?? header('ErrorCode');
  const errorReason = joinReason(code, header('ERROR_MESSAGE') ?? header('ErrorMessage'));
  if (errorReason === null) return undefined;
  const retries = toCount(header('RETRY_ATTEMPTS'));
  const event = isObject(json) && 'detail-type' in json ? json : {};
  const detailType = toText(event['detail-type']);
  return {
    eventId: facts.eventId ?? toText(event.id),
    errorReason,
    errorClass: code,
    consumerGroup: header('TARGET_ARN'),
    ...(retries !== null && { sourceAttempts: retries + 1 }),
    ...(facts.eventType === 'unknown' && detailType !== null && { eventType: detailType }),
  };
};
