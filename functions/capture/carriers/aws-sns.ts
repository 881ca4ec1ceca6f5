import type { HeaderValue } from '../../../shared/events.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { readerOf } from '../header-value.ts';
import { keyFromHeaders } from '../identity.ts';
import type { Inbound, Message } from '../message.ts';
import { readOwnHeaders } from '../own-headers.ts';
import { isObject, parseBody, toFact, toMoment } from '../text.ts';
import { readMessageAttributes } from './aws-sqs.ts';

/** What SNS says in JSON, or in the headers of a raw delivery. */
type Notice = {
  readonly topic: string;
  readonly messageId: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly sentAt: unknown;
};

/**
 * SNS over HTTPS: JSON that is sent as text, or the message alone where raw delivery is on. A request to confirm or
 * to end a subscription carries no event.
 * https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html
 */
export function readSns(request: Inbound): Message[] | undefined {
  const body = parseBody(request.body);
  if (isObject(body) && isConfirmation(body)) return [];
  const notice = readRaw(request) ?? (isObject(body) ? readNotification(body) : undefined);
  return notice && [toMessage(notice, request.headers.traceparent)];
}

/** The address by which a person lets SNS begin, if it is Amazon's and not what somebody else wants to be opened. */
export function findSubscribeUrl({ body }: Inbound): string | null {
  const json = parseBody(body);
  const url = isObject(json) ? toFact(json.SubscribeURL) : null;
  return url && /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/[\w?=&:%.~-]*$/.test(url) ? url : null;
}

function isConfirmation({ Type, TopicArn, SubscribeURL }: Record<string, unknown>): boolean {
  const isOne = Type === 'SubscriptionConfirmation' || Type === 'UnsubscribeConfirmation';
  return isOne && typeof TopicArn === 'string' && typeof SubscribeURL === 'string';
}

function readRaw({ headers, body }: Inbound): Notice | undefined {
  const topic = headers['x-amz-sns-topic-arn'];
  const messageId = headers['x-amz-sns-message-id'];
  if (headers['x-amz-sns-rawdelivery'] !== 'true' || !topic || !messageId) return undefined;
  return { topic, messageId, body, headers: readOwnHeaders(headers), sentAt: undefined };
}

function readNotification(json: Record<string, unknown>): Notice | undefined {
  const { Type, Message: text, Timestamp: sentAt } = json;
  const [topic, messageId] = [toFact(json.TopicArn), toFact(json.MessageId)];
  if (Type !== 'Notification' || typeof text !== 'string' || !topic || !messageId) return undefined;
  const headers = readMessageAttributes(json.MessageAttributes);
  return { topic, messageId, body: Buffer.from(text), headers, sentAt };
}

function toMessage(notice: Notice, traceparent: string | undefined): Message {
  const { topic, messageId, body, headers, sentAt } = notice;
  return {
    body,
    contentType: readerOf(headers)('content-type'),
    headers,
    facts: {
      ...readHeaderFacts(headers, traceparent),
      eventKey: keyFromHeaders(headers, null) ?? `sns:${topic}/${messageId}`,
      carrierId: messageId,
      sourceKind: 'aws-sns',
      sourceTopic: topic,
      occurredAt: toMoment(sentAt),
    },
  };
}
