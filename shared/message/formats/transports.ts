import { defineFormat, type Format } from './format.ts';

const aws = 'https://docs.aws.amazon.com';

/**
 * A message of SQS: as Lambda receives it, or as ReceiveMessage and the command line print it. No redrive
 * adds a reason.
 */
function defineSqs(each: string, names: 'lambda' | 'received'): Format {
  const isLambda = names === 'lambda';
  const spell = (name: string) => (isLambda ? name : `${name[0]?.toUpperCase()}${name.slice(1)}`);
  const source = 'attributes/DeadLetterQueueSourceArn';
  const queue = isLambda ? `${source} | eventSourceARN` : spell(source);
  return defineFormat({
    name: 'aws-sqs',
    of: 'transport',
    scheme: 'sqs',
    source: `${aws}/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html`,
    under: 'json:/',
    each,
    around: ['Records', 'Messages', 'ResponseMetadata'],
    when: {
      ...{ [spell('messageId')]: 'text', [spell('body')]: 'text' },
      ...(isLambda ? { eventSource: /^aws:sqs$/ } : { ReceiptHandle: 'text' }),
    },
    only: {
      '': [
        ...['messageId', 'receiptHandle', 'body', 'attributes', 'messageAttributes'].map(spell),
        ...['md5OfBody', 'md5OfMessageAttributes', 'MD5OfBody', 'MD5OfMessageAttributes'],
        ...['eventSource', 'eventSourceARN', 'awsRegion'],
      ],
    },
    takes: `/${spell('body')}`,
    headers: `/${spell('messageAttributes')}`,
    facts: {
      identity: [queue, spell('messageId')],
      delivery: spell('messageId'),
      topic: queue,
      scope: queue,
      key: `${spell('attributes')}/MessageGroupId`,
      attempts: `${spell('attributes')}/ApproximateReceiveCount`,
      time: `${spell('attributes')}/SentTimestamp as millis`,
    },
  });
}

/** Transports that a place says all of, in order of precedence among the others. */
export const transportFormats: readonly Format[] = [
  defineFormat({
    name: 'pulsar',
    of: 'transport',
    source: 'https://pulsar.apache.org/docs/io-http-sink',
    under: 'header:pulsar',
    when: { topic: 'text' },
    headers: 'pulsarproperties-',
    facts: {
      identity: ['topic', 'messageid'],
      delivery: 'messageid',
      topicType: 'topic',
      topic: 'topic',
      key: 'key',
      time: 'eventtime as millis | publishtime as millis',
    },
  }),
  defineFormat({
    // Its retry count is no fact: it counts requests to capture.
    name: 'cloud-tasks',
    of: 'transport',
    scheme: 'cloudtasks',
    source: 'https://cloud.google.com/tasks/docs/creating-http-target-tasks#handler',
    under: 'header:x-cloudtasks-',
    when: { queuename: 'text', taskname: 'text' },
    facts: {
      identity: ['queuename', 'taskname'],
      delivery: 'taskname',
      topic: 'queuename',
      time: 'tasketa as time',
    },
  }),
  defineFormat({
    name: 'aws-sns',
    of: 'transport',
    scheme: 'sns',
    source: `${aws}/sns/latest/dg/sns-large-payload-raw-message-delivery.html`,
    under: 'header:x-amz-sns-',
    when: { rawdelivery: /^true$/, 'topic-arn': 'text', 'message-id': 'text' },
    facts: {
      identity: ['topic-arn', 'message-id'],
      delivery: 'message-id',
      // That of the request is always text.
      contentType: null,
      topic: 'topic-arn',
    },
  }),
  defineFormat({
    name: 'aws-sns',
    of: 'transport',
    scheme: 'sns',
    source: `${aws}/sns/latest/dg/http-notification-json.html`,
    under: 'json:/',
    when: { Type: /^Notification$/, TopicArn: 'text', MessageId: 'text', Message: 'text' },
    only: {
      '': [
        ...['Type', 'MessageId', 'TopicArn', 'Subject', 'Message', 'MessageAttributes', 'Timestamp'],
        ...['SignatureVersion', 'Signature', 'SigningCertURL', 'SigningCertUrl', 'SequenceNumber'],
        ...['UnsubscribeURL', 'UnsubscribeUrl'],
      ],
    },
    takes: '/Message',
    headers: '/MessageAttributes',
    facts: {
      identity: ['TopicArn', 'MessageId'],
      delivery: 'MessageId',
      topic: 'TopicArn',
      time: 'Timestamp',
    },
  }),
  defineSqs('/Records', 'lambda'),
  defineSqs('/Messages', 'received'),
  defineSqs('', 'received'),
  defineFormat({
    // As its JavaScript client prints it. A consumer that dead-letters a message writes the reason into its properties, too.
    name: 'azure-service-bus',
    of: 'transport',
    scheme: 'asb',
    source: 'https://learn.microsoft.com/javascript/api/@azure/service-bus/servicebusreceivedmessage',
    under: 'json:/',
    when: {
      body: 'there',
      'deadLetterReason | deadLetterSource | applicationProperties/DeadLetterReason': 'text',
    },
    only: {
      '': [
        ...['body', 'messageId', 'contentType', 'correlationId', 'partitionKey', 'sessionId', 'subject'],
        ...['replyToSessionId', 'timeToLive', 'to', 'replyTo', 'scheduledEnqueueTimeUtc', 'state'],
        ...['applicationProperties', 'lockToken', 'deliveryCount', 'enqueuedTimeUtc', 'sequenceNumber'],
        ...['enqueuedSequenceNumber', 'expiresAtUtc', 'lockedUntilUtc', '_rawAmqpMessage', 'rawMessage'],
        ...['deadLetterReason', 'deadLetterErrorDescription', 'deadLetterSource'],
      ],
    },
    takes: '/body',
    headers: '/applicationProperties',
    error: [
      null,
      [
        'deadLetterReason | applicationProperties/DeadLetterReason',
        'deadLetterErrorDescription | applicationProperties/DeadLetterErrorDescription',
      ],
      null,
    ],
    facts: {
      identity: ['deadLetterSource', 'messageId'],
      delivery: 'sequenceNumber',
      contentType: 'contentType',
      type: 'subject',
      topic: 'deadLetterSource',
      scope: 'deadLetterSource',
      attempts: 'deliveryCount',
      trace: 'applicationProperties/Diagnostic-Id',
      time: 'enqueuedTimeUtc',
    },
    omit: /^DeadLetter(Reason|Source|ErrorDescription)$/i,
  }),
];
