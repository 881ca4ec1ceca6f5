import type { Transport } from './message.ts';
import { readSns } from './transports/aws-sns.ts';
import { readSqsRecords } from './transports/aws-sqs.ts';
import { readServiceBusMessage } from './transports/azure-service-bus.ts';
import { readCloudTask } from './transports/cloud-tasks.ts';
import { readCloudEvent } from './transports/cloudevent.ts';
import { readKafkaRecords } from './transports/kafka-records.ts';
import { readKafkaUiRecord } from './transports/kafka-ui.ts';
import { readKcatRecord } from './transports/kcat.ts';
import { readPubSubPush } from './transports/pubsub-push.ts';
import { readUnwrappedPush } from './transports/pubsub-unwrapped-push.ts';
import { readPulsarRecord } from './transports/pulsar-http.ts';
import { readRabbitMessages } from './transports/rabbitmq.ts';
import { readDeclaredReport, readReport } from './transports/report.ts';

/** A reader and the name by which answers and logs call it. */
export type Named<Reader> = readonly [name: string, read: Reader];

/** All transports, in order of precedence: the first that recognizes a request reads it. */
export const transports: readonly Named<Transport>[] = [
  ['pubsub-unwrapped', readUnwrappedPush],
  ['cloudevents', readCloudEvent],
  ['pulsar', readPulsarRecord],
  ['cloud-tasks', readCloudTask],
  ['report', readDeclaredReport],
  ['aws-sns', readSns],
  ['pubsub', readPubSubPush],
  ['aws-sqs', readSqsRecords],
  ['azure-service-bus', readServiceBusMessage],
  ['kafka-records', readKafkaRecords],
  ['kcat', readKcatRecord],
  ['kafka-ui', readKafkaUiRecord],
  ['rabbitmq', readRabbitMessages],
  ['report', readReport],
];
