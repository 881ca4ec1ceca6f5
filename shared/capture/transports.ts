import type { Transport } from './message.ts';
import { readCloudEvent } from './transports/cloudevent.ts';
import { kafkaTransports } from './transports/kafka-records.ts';
import { readPubSubPush } from './transports/pubsub-push.ts';
import { readUnwrappedPush } from './transports/pubsub-unwrapped-push.ts';
import { readCloudTask, readPulsarMessage } from './transports/queue-headers.ts';
import { readRabbitMessages } from './transports/rabbitmq.ts';
import { readDeclaredReport, readReport } from './transports/report.ts';

/** A reader and the name by which answers and logs call it. */
type Named = readonly [name: string, read: Transport];

/** All transports, in order of precedence: the first that recognizes a request reads it. */
export const transports: readonly Named[] = [
  ['pubsub-unwrapped', readUnwrappedPush],
  ['cloudevents', readCloudEvent],
  ['report', readDeclaredReport],
  ['pubsub', readPubSubPush],
  ['pulsar', readPulsarMessage],
  ['cloud-tasks', readCloudTask],
  ...kafkaTransports,
  ['rabbitmq', readRabbitMessages],
  ['report', readReport],
];
