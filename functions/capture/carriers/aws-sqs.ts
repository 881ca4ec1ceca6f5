import type { HeaderValue } from '../../../shared/events.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { readerOf } from '../header-value.ts';
import { keyFromHeaders } from '../identity.ts';
import type { Inbound, Message } from '../message.ts';
import { isObject, parseBody, toCount, toFact, toMomentOfMillis } from '../text.ts';

/**
 * Messages of SQS in the shape in which AWS Lambda gets them: `{"Records": [{"eventSource": "aws:sqs", ...}]}`. The
 * redrive to a dead-letter queue adds the queue where they failed, and no reason.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export function readSqsRecords(request: Inbound): Message[] | undefined {
  const body = parseBody(request.body);
  if (!isObject(body) || !Array.isArray(body.Records) || body.Records.length === 0) return undefined;
  if (!body.Records.every(isSqsRecord)) return undefined;
  return body.Records.map((record) => toMessage(record, request.headers.traceparent));
}

type SqsRecord = Readonly<Record<string, unknown>> & { readonly messageId: string; readonly body: string };

function isSqsRecord(record: unknown): record is SqsRecord {
  if (!isObject(record) || record.eventSource !== 'aws:sqs') return false;
  return typeof record.messageId === 'string' && record.messageId !== '' && typeof record.body === 'string';
}

function toMessage(record: SqsRecord, traceparent: string | undefined): Message {
  const attributes = isObject(record.attributes) ? record.attributes : {};
  const queue = toFact(attributes.DeadLetterQueueSourceArn) ?? toFact(record.eventSourceARN);
  const headers = readMessageAttributes(record.messageAttributes);
  return {
    body: Buffer.from(record.body),
    contentType: readerOf(headers)('content-type'),
    headers,
    facts: {
      ...readHeaderFacts(headers, traceparent),
      eventKey: keyFromHeaders(headers, queue) ?? `sqs:${queue ? `${queue}/` : ''}${record.messageId}`,
      carrierId: record.messageId,
      sourceKind: 'aws-sqs',
      sourceTopic: queue,
      sourceKey: toFact(attributes.MessageGroupId),
      sourceAttempts: toCount(attributes.ApproximateReceiveCount),
      occurredAt: toMomentOfMillis(attributes.SentTimestamp),
    },
  };
}

/** `{"name": {"dataType", "stringValue" or "binaryValue"}}` in SQS, `{"name": {"Type", "Value"}}` in SNS. */
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
