import { brokerFormats } from './brokers.ts';
import { dataflowFormats } from './dataflow.ts';
import type { Format } from './format.ts';
import { jobFormats } from './jobs.ts';
import { kafkaFormats, plainKafkaFormats } from './kafka.ts';
import { changeFormats, webhookFormats } from './webhooks.ts';

/**
 * All formats of dead letters and webhooks, in order of precedence: the first that a message has reads it.
 */
export const formats: readonly Format[] = [
  ...kafkaFormats,
  ...brokerFormats,
  ...dataflowFormats,
  ...jobFormats,
  ...plainKafkaFormats,
  ...webhookFormats,
  ...changeFormats,
];
