import type { HeaderValue } from '../../events/event.ts';
import { isObject } from '../../json/parse-json.ts';
import { toCount, toDateFromMillis, toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { readHeader } from '../header-values.ts';
import { keyFromHeaders } from '../identity.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { isWholly } from '../wholly.ts';

/**
 * SQS messages in the form that AWS Lambda receives, `{"Records": [{"eventSource": "aws:sqs", ...}]}`, or in that of
 * ReceiveMessage, as the command line prints it, `{"Messages": [{"MessageId", "Body", ...}]}` or one message of it. The
 * redrive to a dead-letter queue adds the source queue, but no reason.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
 */
export function readSqsRecords(request: ParsedInbound): Message[] | undefined {
  const { json } = request;
  const records =
    isWholly(json, batchNames) || isWholly(json, receivedNames)
      ? (listRecords(json) ?? listReceived(json))
      : undefined;
  return records?.map((record) => toMessage(record, request.headers.traceparent));
}

const batchNames = new Set(['Records', 'Messages', 'ResponseMetadata']);
const recordNames = new Set([
  ...[
    'messageId',
    'receiptHandle',
    'body',
    'attributes',
    'messageAttributes',
    'md5OfBody',
    'md5OfMessageAttributes',
  ],
  ...['eventSource', 'eventSourceARN', 'awsRegion'],
]);
const receivedNames = new Set([
  ...[
    'MessageId',
    'ReceiptHandle',
    'MD5OfBody',
    'Body',
    'Attributes',
    'MD5OfMessageAttributes',
    'MessageAttributes',
  ],
]);

type SqsRecord = Readonly<Record<string, unknown>> & { readonly messageId: string; readonly body: string };

function listRecords({ Records: records }: Record<string, unknown>): SqsRecord[] | undefined {
  if (!Array.isArray(records) || records.length === 0) return undefined;
  return records.every(isSqsRecord) ? records : undefined;
}

function isSqsRecord(record: unknown): record is SqsRecord {
  if (!isWholly(record, recordNames) || record.eventSource !== 'aws:sqs') return false;
  return (
    typeof record.messageId === 'string' &&
    record.messageId !== '' &&
    typeof record.body === 'string' &&
    record.body !== ''
  );
}

function listReceived(json: Record<string, unknown>): SqsRecord[] | undefined {
  const { Messages: messages = 'ReceiptHandle' in json ? [json] : undefined } = json;
  if (!Array.isArray(messages) || messages.length === 0) return undefined;
  const records = messages.map(toRecord);
  return records.every((record) => record !== undefined) ? records : undefined;
}

function toRecord(message: unknown): SqsRecord | undefined {
  if (!isWholly(message, receivedNames) || typeof message.ReceiptHandle !== 'string') return undefined;
  const { MessageId, Body, Attributes, MessageAttributes } = message;
  if (typeof MessageId !== 'string' || MessageId === '' || typeof Body !== 'string' || Body === '')
    return undefined;
  return { messageId: MessageId, body: Body, attributes: Attributes, messageAttributes: MessageAttributes };
}

function toMessage(record: SqsRecord, traceparent: string | undefined): Message {
  const attributes = isObject(record.attributes) ? record.attributes : {};
  const queue = toText(attributes.DeadLetterQueueSourceArn) ?? toText(record.eventSourceARN);
  const headers = readMessageAttributes(record.messageAttributes);
  const applicationKey = keyFromHeaders(headers);
  return {
    ...toContent(Buffer.from(record.body)),
    contentType: readHeader(headers, 'content-type'),
    headers,
    facts: {
      ...readHeaderFacts(headers, traceparent),
      eventKey: applicationKey ?? `sqs:${queue ? `${queue}/` : ''}${record.messageId}`,
      deliveryId: record.messageId,
      sourceKind: 'aws-sqs',
      consumer: applicationKey === undefined ? null : queue,
      sourceTopic: queue,
      sourceKey: toText(attributes.MessageGroupId),
      sourceAttempts: toCount(attributes.ApproximateReceiveCount),
      occurredAt: toDateFromMillis(attributes.SentTimestamp),
    },
  };
}

/**
 * Message attributes as headers: `{"name": {"dataType", "stringValue" or "binaryValue"}}` of SQS, in capitals from
 * ReceiveMessage, `{"name": {"Type", "Value"}}` of SNS.
 */
export function readMessageAttributes(attributes: unknown): Record<string, HeaderValue> {
  if (!isObject(attributes)) return {};
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, attribute]): [string, HeaderValue][] => {
      const { Type, Value, ...own } = isObject(attribute) ? attribute : {};
      const bytes = Type === 'Binary' ? Value : (own.binaryValue ?? own.BinaryValue);
      if (typeof bytes === 'string') return [[name, { base64: bytes }]];
      const text = own.stringValue ?? own.StringValue ?? Value;
      return typeof text === 'string' ? [[name, text]] : [];
    }),
  );
}
