import type { Transport } from './message.ts';
import { readCloudEvent } from './transports/cloudevent.ts';
import { readKafkaRecords } from './transports/kafka-records.ts';
import { readKafkaUiRecord } from './transports/kafka-ui.ts';
import { readKcatRecord } from './transports/kcat.ts';
import { readPubSubPush } from './transports/pubsub-push.ts';
import { readUnwrappedPush } from './transports/pubsub-unwrapped-push.ts';
import { readCloudTask, readPulsarMessage } from './transports/queue-headers.ts';
import { readRabbitMessages } from './transports/rabbitmq.ts';
import { readRedpandaRecord } from './transports/redpanda-console.ts';
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
  ['kafka-records', readKafkaRecords],
  ['kcat', readKcatRecord],
  ['kafka-ui', readKafkaUiRecord],
  ['redpanda-console', readRedpandaRecord],
  ['rabbitmq', readRabbitMessages],
  ['report', readReport],
];
