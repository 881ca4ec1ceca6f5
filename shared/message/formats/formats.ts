import { brokerFormats } from './brokers.ts';
import { complete, type Format } from './format.ts';
import { jobQueueFormats } from './job-queues.ts';
import { kafkaFormats, plainKafkaFormats } from './kafka.ts';
import { changeFormats, webhookFormats } from './webhooks.ts';

/** In order of precedence: the first that a message has reads it. */
export const formats: readonly Format[] = [
  ...complete({ of: 'kafka', under: 'header:', position: ['topic', 'partition', 'offset'] }, kafkaFormats),
  ...complete({ of: 'headers', under: 'header:' }, brokerFormats),
  ...complete({ of: 'kafka', under: 'header:', isOfRecord: true }, plainKafkaFormats),
  ...complete({ of: 'webhook', under: 'json:/' }, jobQueueFormats),
  ...webhookFormats,
  ...changeFormats,
];
