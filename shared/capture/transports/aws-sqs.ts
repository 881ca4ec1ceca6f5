import type { HeaderValue } from '../../events/event.ts';
import { isObject } from '../../json/parse-json.ts';
import { toCount, toDateFromMillis, toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { readHeader } from '../header-values.ts';
import { keyFromHeaders } from '../identity.ts';
import type { Message, ParsedInbound } from '../message.ts';

/**
 * SQS messages in the form that AWS Lambda receives: `{"Records": [{"eventSource": "aws:sqs", ...}]}`. The redrive to a
 * dead-letter queue adds the source queue, but no reason.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export function readSqsRecords(request: ParsedInbound): Message[] | undefined {
  const { json } = request;
  if (!isObject(json) || !Array.isArray(json.Records) || json.Records.length === 0) return undefined;
  if (!json.Records.every(isSqsRecord)) return undefined;
  return json.Records.map((record) => toMessage(record, request.headers.traceparent));
}

type SqsRecord = Readonly<Record<string, unknown>> & { readonly messageId: string; readonly body: string };

function isSqsRecord(record: unknown): record is SqsRecord {
  if (!isObject(record) || record.eventSource !== 'aws:sqs') return false;
  return typeof record.messageId === 'string' && record.messageId !== '' && typeof record.body === 'string';
}

function toMessage(record: SqsRecord, traceparent: string | undefined): Message {
  const attributes = isObject(record.attributes) ? record.attributes : {};
  const queue = toText(attributes.DeadLetterQueueSourceArn) ?? toText(record.eventSourceARN);
  const headers = readMessageAttributes(record.messageAttributes);
  const applicationKey = keyFromHeaders(headers, queue);
  return {
    ...toContent(Buffer.from(record.body)),
    contentType: readHeader(headers, 'content-type'),
    headers,
    facts: {
      ...readHeaderFacts(headers, traceparent),
      eventKey: applicationKey ?? `sqs:${queue ? `${queue}/` : ''}${record.messageId}`,
      isKeyPerDelivery: applicationKey === undefined,
      deliveryId: record.messageId,
      sourceKind: 'aws-sqs',
      sourceTopic: queue,
      sourceKey: toText(attributes.MessageGroupId),
      sourceAttempts: toCount(attributes.ApproximateReceiveCount),
      occurredAt: toDateFromMillis(attributes.SentTimestamp),
    },
  };
}

/**
 * Message attributes as headers: `{"name": {"dataType", "stringValue" or "binaryValue"}}` of SQS, `{"name": {"Type",
 * "Value"}}` of SNS.
 */
export function readMessageAttributes(attributes: unknown): Record<string, HeaderValue> {
  if (!isObject(attributes)) return {};
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, attribute]): [string, HeaderValue][] => {
      const { stringValue, binaryValue, Type, Value } = isObject(attribute) ? attribute : {};
      const bytes = Type === 'Binary' ? Value : binaryValue;
      if (typeof bytes === 'string') return [[name, { base64: bytes }]];
      const text = stringValue ?? Value;
      return typeof text === 'string' ? [[name, text]] : [];
    }),
  );
}
