import { defineFormat, type Format } from './format.ts';

/**
 * A batch of a stream. Only some destinations get its records, in `payload`; without them the message is its
 * position.
 */
function defineStreamBatch(info: string, more: Partial<Format>): Format {
  return defineFormat({
    name: 'aws-stream-batch',
    of: 'object',
    kind: 'aws-stream',
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html',
    under: `json:/${info}/`,
    when: {
      'streamArn | eventSourceArn | bootstrapServers': 'text',
      'json:/requestContext/functionArn | json:/context/partnerResourceArn': 'text',
      'json:/requestContext/condition | json:/context/condition': 'text',
    },
    takes: '/payload',
    isText: true,
    drops: ['requestContext', 'responseContext', 'context', 'version', 'timestamp'],
    error: [
      'json:/responseContext/functionError',
      'json:/requestContext/condition | json:/context/condition',
      null,
    ],
    facts: {
      identity: [
        'streamArn | eventSourceArn | bootstrapServers',
        'shardId',
        'startSequenceNumber',
        'endSequenceNumber',
      ],
      failure: 'json:/requestContext/requestId | json:/timestamp',
      topic: 'streamArn | eventSourceArn | bootstrapServers',
      consumer: 'json:/requestContext/functionArn | json:/context/partnerResourceArn',
      attempts: 'json:/requestContext/approximateInvokeCount',
      time: 'approximateArrivalOfFirstRecord',
    },
    ...more,
  });
}

function defineAwsFailure(more: Partial<Format>): Format {
  return defineFormat({
    name: 'aws-failure',
    of: 'headers',
    kind: null,
    source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html',
    from: ['aws-sqs', 'aws-sns'],
    under: 'header:',
    ...more,
  });
}

const badRecord = { record: 'json:/record/', failure: 'json:/failure/' };

/** What clouds write, in order of precedence. */
export const cloudFormats: readonly Format[] = [
  defineAwsFailure({
    when: { RULE_ARN: 'there', ERROR_CODE: 'text' },
    error: ['ERROR_CODE', 'ERROR_MESSAGE', null],
    facts: {
      id: 'json:/id',
      topicType: 'json:/detail-type',
      consumer: 'TARGET_ARN',
      attempts: 'RETRY_ATTEMPTS as next | transport:sourceAttempts',
    },
    omit: /^((rule|target)_arn|error_(code|message)|exhausted_retry_condition|retry_attempts)$/i,
    seen: 'documentation',
    note: 'The position is the queue, the key its group. The attempts are those of EventBridge, else of the queue.',
  }),
  defineAwsFailure({
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html',
    when: { RequestID: 'there', ErrorCode: 'text' },
    error: ['ErrorCode', 'ErrorMessage', null],
    omit: /^(requestid|error(code|message))$/i,
  }),
  defineFormat({
    name: 'aws-lambda-destination',
    of: 'object',
    kind: 'aws-lambda',
    scheme: 'lambda',
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html',
    under: 'json:/requestContext/',
    when: { requestId: 'text', functionArn: 'text', 'json:/requestPayload': 'there' },
    takes: '/requestPayload',
    error: [
      'json:/responsePayload/errorType',
      'json:/responsePayload/errorMessage',
      'json:/responsePayload/stackTrace as lines',
    ],
    facts: {
      identity: 'requestId',
      type: 'json:/requestPayload/detail-type',
      condition: 'condition',
      consumer: 'functionArn',
      attempts: 'approximateInvokeCount',
    },
    seen: 'documentation',
  }),
  defineStreamBatch('KinesisBatchInfo', { seen: 'documentation; pipes: source of LocalStack' }),
  defineStreamBatch('DDBStreamBatchInfo', {}),
  defineStreamBatch('KafkaBatchInfo', {
    facts: {
      ...defineStreamBatch('KafkaBatchInfo', {}).facts,
      identity: ['streamArn | eventSourceArn | bootstrapServers', 'json:/KafkaBatchInfo as digest'],
    },
  }),
  defineFormat({
    name: 'azure-event-grid',
    of: 'object',
    source: 'https://learn.microsoft.com/azure/event-grid/delivery-and-retry#delivery-event-formats',
    under: 'json:/',
    when: {
      deadLetterReason: 'text',
      data: 'there',
      id: 'text',
      eventType: 'text',
      subject: 'text',
      eventTime: 'date',
    },
    drops: [
      ...['deadLetterReason', 'deliveryAttempts', 'lastDeliveryOutcome', 'lastHttpStatusCode'],
      ...['publishTime', 'lastDeliveryAttemptTime'],
    ],
    error: [null, ['deadLetterReason', 'lastDeliveryOutcome', 'lastHttpStatusCode as http'], null],
    facts: {
      identity: ['topic', 'id'],
      failure: 'lastDeliveryAttemptTime',
      id: 'id',
      type: 'eventType',
      topic: 'topic',
      key: 'subject',
      attempts: 'deliveryAttempts',
      time: 'eventTime',
    },
    seen: 'documentation',
  }),
  defineFormat({
    name: 'azure-event-grid-cloudevent',
    of: 'headers',
    kind: 'azure-event-grid',
    source: 'https://learn.microsoft.com/azure/event-grid/delivery-and-retry#delivery-event-formats',
    under: 'ce:',
    when: { deadletterreason: 'text', deliveryattempts: 'count' },
    error: [null, ['deadletterreason', 'lastdeliveryoutcome', 'lasthttpstatuscode as http'], null],
    facts: { failure: 'lastdeliveryattempttime', attempts: 'deliveryattempts' },
    omit: /^(ce[-_])?(deadletterreason|deliveryattempts|lastdelivery(outcome|attempttime)|lasthttpstatuscode|publishtime)$/i,
    seen: 'documentation',
  }),
];

/** Google's Dataflow templates, and Apache Beam. */
export const dataflowFormats: readonly Format[] = [
  defineFormat({
    name: 'dataflow',
    of: 'headers',
    source: 'https://github.com/GoogleCloudPlatform/DataflowTemplates',
    under: 'json:/',
    when: { errorMessage: 'text', 'payloadBytes | payloadString': 'text' },
    only: {
      '': [
        ...['payloadString', 'payloadBytes', 'attributes', 'errorMessage', 'stackTrace', 'stacktrace'],
        ...['timestamp', 'timeSent'],
      ],
    },
    error: [null, 'errorMessage', 'stackTrace | stacktrace'],
    facts: { time: 'timestamp', body: 'payloadBytes as base64 | payloadString' },
    code: [
      'dataflow',
      'a row of BigQuery has attributes in a list, a line of Cloud Storage counts retries in the message',
    ],
    seen: 'source',
  }),
  defineFormat({
    name: 'dataflow',
    of: 'headers',
    source: 'https://github.com/GoogleCloudPlatform/DataflowTemplates',
    under: 'json:/',
    when: { message: 'object', error_message: 'text' },
    only: { '': ['message', 'error_message'] },
    takes: '/message',
    error: [null, 'error_message', null],
    facts: { attempts: 'message/_metadata_retry_count as next' },
    code: ['dataflow', 'above'],
  }),
  defineFormat({
    name: 'dataflow',
    of: 'headers',
    source: 'https://github.com/GoogleCloudPlatform/DataflowTemplates',
    from: ['pubsub', 'eventarc'],
    under: 'header:',
    when: { errorMessage: 'text' },
    error: [null, 'errorMessage', null],
    facts: { time: 'timestamp | transport:occurredAt' },
    omit: /^errorMessage$/i,
  }),
  defineFormat({
    // Any sender may use an attribute `error`: it is the reason, but no sign of a Dataflow template.
    name: 'dataflow',
    of: 'headers',
    kind: null,
    source: 'https://github.com/GoogleCloudPlatform/DataflowTemplates',
    from: ['pubsub', 'eventarc'],
    when: { 'header:error': 'text' },
    error: [null, 'header:error', null],
  }),
  defineFormat({
    name: 'beam-bad-record',
    of: 'headers',
    kind: 'dataflow',
    source:
      'https://github.com/apache/beam/blob/master/sdks/java/core/src/main/java/org/apache/beam/sdk/transforms/errorhandling/BadRecord.java',
    when: { 'json:/record': 'object', 'json:/failure': 'object' },
    only: {
      '': ['record', 'failure', 'destination'],
      '/record': [
        ...['humanReadableJsonRecord', 'human_readable_json_record', 'encodedRecord', 'encoded_record'],
        'coder',
      ],
      '/failure': ['exception', 'exceptionStacktrace', 'exception_stacktrace', 'description'],
    },
    error: [
      null,
      `${badRecord.failure}exception | ${badRecord.failure}description`,
      `${badRecord.failure}exceptionStacktrace | ${badRecord.failure}exception_stacktrace`,
    ],
    facts: {
      body: [
        `${badRecord.record}humanReadableJsonRecord | ${badRecord.record}human_readable_json_record`,
        `${badRecord.record}encodedRecord as base64 | ${badRecord.record}encoded_record as base64`,
      ].join(' | '),
    },
    metadata: {
      coder: `${badRecord.record}coder`,
      encodedRecord: `${badRecord.record}encodedRecord | ${badRecord.record}encoded_record`,
    },
    seen: 'source',
  }),
];
