import type { FormatRecord } from './format.ts';

const template = {
  name: 'dataflow',
  source: 'https://github.com/GoogleCloudPlatform/DataflowTemplates',
};

/** Google's Dataflow templates. */
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
];
