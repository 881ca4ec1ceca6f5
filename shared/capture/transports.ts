import { transportFormats } from '../message/formats/transports.ts';
import { openTransport } from './formats/read-transport.ts';
import type { Transport } from './message.ts';
import { readSnsConfirmation } from './transports/aws-sns.ts';
import { readCloudEvent } from './transports/cloudevent.ts';
import { readKafkaRecords } from './transports/kafka-records.ts';
import { readKafkaUiRecord } from './transports/kafka-ui.ts';
import { readKcatRecord } from './transports/kcat.ts';
import { readPubSubPush } from './transports/pubsub-push.ts';
import { readUnwrappedPush } from './transports/pubsub-unwrapped-push.ts';
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
  ['aws-sns', readSnsConfirmation],
  ...transportFormats.map((format): Named => [format.name, openTransport(format)]),
  ['kafka-records', readKafkaRecords],
  ['kcat', readKcatRecord],
  ['kafka-ui', readKafkaUiRecord],
  ['redpanda-console', readRedpandaRecord],
  ['rabbitmq', readRabbitMessages],
  ['report', readReport],
];
