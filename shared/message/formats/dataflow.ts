import type { FormatRecord } from './format.ts';

const template = {
  name: 'dataflow',
  source: 'https://github.com/GoogleCloudPlatform/DataflowTemplates',
};

/** Google's Dataflow templates, and Apache Beam. */
export const dataflowFormats: readonly FormatRecord[] = [
  {
    ...template,
    when: { errorMessage: 'text', 'payloadBytes | payloadString': 'text' },
    only: { '': ['timeSent'] },
    reason: 'errorMessage',
    stack: 'stackTrace | stacktrace',
    time: 'timestamp',
    body: 'payloadBytes as base64 | payloadString',
    headers: 'attributes',
  },
  {
    ...template,
    // Of another transport, the name of a header may be any sender's.
    under: 'header:',
    when: { 'transport:sourceKind': /^(pubsub|eventarc)$/, errorMessage: 'text' },
    reason: 'errorMessage',
    time: 'timestamp | transport:occurredAt',
    omit: /^errorMessage$/i,
  },
  {
    name: 'beam-bad-record',
    kind: 'dataflow',
    source:
      'https://github.com/apache/beam/blob/master/sdks/java/core/src/main/java/org/apache/beam/sdk/transforms/errorhandling/BadRecord.java',
    when: { record: 'object', failure: 'object' },
    only: { '': ['destination'], '/record': [], '/failure': [] },
    reason: `failure/exception | failure/description`,
    stack: `failure/exceptionStacktrace | failure/exception_stacktrace`,
    body: [
      `record/humanReadableJsonRecord | record/human_readable_json_record`,
      `record/encodedRecord as base64 | record/encoded_record as base64`,
    ].join(' | '),
    metadata: {
      coder: `record/coder`,
      encodedRecord: `record/encodedRecord | record/encoded_record`,
    },
  },
];
