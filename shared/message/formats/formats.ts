import { brokerFormats, eventFormats, pulsarFormat } from './brokers.ts';
import { cloudFormats, dataflowFormats } from './clouds.ts';
import { defineFormat, type Format } from './format.ts';
import { jobFormats } from './jobs.ts';
import { kafkaFormats, plainKafkaFormats } from './kafka.ts';
import { changeFormats, webhookFormats } from './webhooks.ts';

const exported = defineFormat({
  name: 'exported-event',
  of: 'object',
  source: 'https://www.postgresql.org/docs/current/functions-json.html',
  under: 'json:/',
  when: {
    ...{ 'event/event_key': 'text', 'event/event_type': 'text', 'event/payload_encoding': 'text' },
    'event/status': /^(PENDING|PROCESSING|FAILED_PERMANENTLY)$/,
    attempts: 'list',
  },
  code: [
    'exported',
    'the bytes of the message are in three notations, and each column without a fact is kept',
  ],
  seen: 'source of this product',
  note: 'An open event of another deployment, with its columns and attempts.',
});

/**
 * All formats of dead letters and webhooks, in order of precedence: the first that a message has reads it.
 */
export const formats: readonly Format[] = [
  exported,
  ...kafkaFormats,
  ...brokerFormats,
  pulsarFormat,
  ...cloudFormats,
  ...eventFormats,
  ...dataflowFormats,
  ...jobFormats,
  ...plainKafkaFormats,
  ...webhookFormats,
  ...changeFormats,
];
