import { defineFormat, type Format } from './format.ts';

const badRecord = { record: 'json:/record/', failure: 'json:/failure/' };

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
