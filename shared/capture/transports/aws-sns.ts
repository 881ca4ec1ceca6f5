import type { HeaderValue } from '../../events/event.ts';
import { isObject } from '../../json/parse-json.ts';
import { toDate, toText } from '../column-values.ts';
import { type Content, toContent } from '../content.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { readHeader } from '../header-values.ts';
import { keyFromHeaders } from '../identity.ts';
import type { Inbound, Message, ParsedInbound } from '../message.ts';
import { readMessageHeaders } from '../message-headers.ts';
import { isWholly } from '../wholly.ts';
import { readMessageAttributes } from './aws-sqs.ts';

/** A notification, from the JSON of SNS or from the headers of a raw delivery. */
type Notification = Content & {
  readonly topic: string;
  readonly messageId: string;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly sentAt: unknown;
};

/**
 * SNS over HTTPS: JSON with the content type text/plain, or with raw delivery the message alone. A request that
 * confirms or ends a subscription carries no event.
 * https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html
 */
export function readSns(request: ParsedInbound): Message[] | undefined {
  const { json } = request;
  if (isWholly(json, names) && isConfirmation(json)) return [];
  const notification = readRaw(request) ?? (isWholly(json, names) ? readNotification(json) : undefined);
  return notification && [toMessage(notification, request.headers.traceparent)];
}

/**
 * The URL that confirms a subscription when an operator opens it, or null. Only URLs of Amazon count: any sender could
 * send another.
 */
export function findSubscribeUrl({ body }: Inbound): string | null {
  const { json } = toContent(body);
  const url = isObject(json) ? toText(json.SubscribeURL) : null;
  return url && /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/[\w?=&:%.~-]*$/.test(url) ? url : null;
}

const names = new Set([
  ...[
    'Type',
    'MessageId',
    'Token',
    'TopicArn',
    'Subject',
    'Message',
    'MessageAttributes',
    'SubscribeURL',
    'Timestamp',
  ],
  ...[
    'SignatureVersion',
    'Signature',
    'SigningCertURL',
    'SigningCertUrl',
    'UnsubscribeURL',
    'UnsubscribeUrl',
    'SequenceNumber',
  ],
]);

function isConfirmation({ Type, TopicArn, SubscribeURL }: Record<string, unknown>): boolean {
  const isOne = Type === 'SubscriptionConfirmation' || Type === 'UnsubscribeConfirmation';
  return isOne && typeof TopicArn === 'string' && typeof SubscribeURL === 'string';
}

function readRaw({ headers, body, json }: ParsedInbound): Notification | undefined {
  const topic = headers['x-amz-sns-topic-arn'];
  const messageId = headers['x-amz-sns-message-id'];
  if (headers['x-amz-sns-rawdelivery'] !== 'true' || !topic || !messageId) return undefined;
  return { topic, messageId, body, json, headers: readMessageHeaders(headers), sentAt: undefined };
}

function readNotification(json: Record<string, unknown>): Notification | undefined {
  const { Type, Message: text, Timestamp: sentAt } = json;
  const [topic, messageId] = [toText(json.TopicArn), toText(json.MessageId)];
  if (Type !== 'Notification' || typeof text !== 'string' || text === '' || !topic || !messageId)
    return undefined;
  const headers = readMessageAttributes(json.MessageAttributes);
  return { topic, messageId, ...toContent(Buffer.from(text)), headers, sentAt };
}

function toMessage(notification: Notification, traceparent: string | undefined): Message {
  const { topic, messageId, body, json, headers, sentAt } = notification;
  const applicationKey = keyFromHeaders(headers);
  return {
    body,
    json,
    contentType: readHeader(headers, 'content-type'),
    headers,
    facts: {
      ...readHeaderFacts(headers, traceparent),
      eventKey: applicationKey ?? `sns:${topic}/${messageId}`,
      deliveryId: messageId,
      sourceKind: 'aws-sns',
      sourceTopic: topic,
      occurredAt: toDate(sentAt),
    },
  };
}
