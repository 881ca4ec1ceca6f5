import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';

const push = (attributes: object) => ({
  message: { messageId: '1', data: 'e30=', attributes },
  subscription: 'projects/p/subscriptions/s',
});
const sqs = { eventSource: 'aws:sqs', messageId: '1', body: '{}' };
const sns = { Type: 'Notification', TopicArn: 'arn', MessageId: '1', Message: '{}' };
const lambda = { requestContext: { requestId: '1', functionArn: 'f' }, requestPayload: {} };
const outboxId = '0198b6f0-4c8a-7d1e-9b0a-2f6f3a1c5d7e';
const deadLetter = { CloudPubSubDeadLetterSourceSubscription: 'orders' };

describe('the key of a capture', () => {
  for (const [name, body, headers] of [
    ['Pub/Sub', push({}), {}],
    ['a Pub/Sub dead-letter topic', push(deadLetter), {}],
    ['a RabbitMQ dead letter that Pub/Sub delivers', push({ 'x-first-death-queue': 'q' }), {}],
    ['SNS', sns, {}],
    ['SQS', { Records: [sqs] }, {}],
    ['Cloud Tasks', {}, { 'x-cloudtasks-queuename': 'q', 'x-cloudtasks-taskname': 't' }],
    ['Pulsar', {}, { pulsartopic: 't', pulsarmessageid: '1' }],
    ['a Lambda destination', lambda, {}],
  ] as const) {
    it(`is per delivery for a message of ${name} without an application id`, () => {
      assert.equal(capture(body, headers)?.isKeyPerDelivery, true);
    });
  }

  for (const [name, body] of [
    ['has an application id', push({ event_id: 'order-1' })],
    ['has an application id and is a dead letter', push({ event_id: 'order-1', ...deadLetter })],
    ['is a Kafka record', push({ 'kafka.topic': 't', 'kafka.partition': '0', 'kafka.offset': '7' })],
    ['has the id of a Debezium outbox', push({ '__connect.errors.stage': 'a', id: outboxId })],
  ] as const) {
    it(`is not per delivery for a Pub/Sub message that ${name}`, () => {
      assert.equal(capture(body)?.isKeyPerDelivery, false);
    });
  }
});

function capture(body: object, headers: Record<string, string> = {}) {
  const request = {
    path: '/',
    query: new URLSearchParams(),
    headers,
    body: Buffer.from(JSON.stringify(body)),
  };
  return readCaptures(request)[0];
}
