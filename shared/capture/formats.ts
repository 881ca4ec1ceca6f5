import { readApplication } from './dead-letter-formats/application.ts';
import { readAwsFailure } from './dead-letter-formats/aws-failure.ts';
import { readLambdaDestination } from './dead-letter-formats/aws-lambda-destination.ts';
import { readStreamBatch } from './dead-letter-formats/aws-stream-batch.ts';
import { readEventGridCloudEvent, readEventGridEvent } from './dead-letter-formats/azure-event-grid.ts';
import { readBeamBadRecord } from './dead-letter-formats/beam-bad-record.ts';
import { readBullMq } from './dead-letter-formats/bullmq.ts';
import { readCelery } from './dead-letter-formats/celery.ts';
import { readCeleryResult } from './dead-letter-formats/celery-result.ts';
import { readConfluentHttpReporter } from './dead-letter-formats/confluent-http-reporter.ts';
import { readDapr } from './dead-letter-formats/dapr.ts';
import { readDataflow } from './dead-letter-formats/dataflow.ts';
import { readDebezium } from './dead-letter-formats/debezium.ts';
import { readExportedEvent } from './dead-letter-formats/exported-event.ts';
import { readKafka } from './dead-letter-formats/kafka.ts';
import { readKafkaCloudEvent } from './dead-letter-formats/kafka-cloudevent.ts';
import { readKafkaConnect } from './dead-letter-formats/kafka-connect.ts';
import { readKafkaShareGroup } from './dead-letter-formats/kafka-share-group.ts';
import { readKafkaStreams } from './dead-letter-formats/kafka-streams.ts';
import { readKarafka } from './dead-letter-formats/karafka.ts';
import { readKnative } from './dead-letter-formats/knative.ts';
import { readKnativeKafka } from './dead-letter-formats/knative-kafka.ts';
import { readMassTransit } from './dead-letter-formats/masstransit.ts';
import { readMassTransitFault } from './dead-letter-formats/masstransit-fault.ts';
import { readNatsAdvisory } from './dead-letter-formats/nats-advisory.ts';
import { readNServiceBus } from './dead-letter-formats/nservicebus.ts';
import { readPgBoss } from './dead-letter-formats/pg-boss.ts';
import { readPubSubDeadLetter } from './dead-letter-formats/pubsub-dead-letter.ts';
import { readRabbitDeadLetter } from './dead-letter-formats/rabbitmq.ts';
import { readRiver } from './dead-letter-formats/river.ts';
import { readSidekiq } from './dead-letter-formats/sidekiq.ts';
import { readSmallRye } from './dead-letter-formats/smallrye.ts';
import { readSpringCloudStream } from './dead-letter-formats/spring-cloud-stream.ts';
import { readSpringKafka } from './dead-letter-formats/spring-kafka.ts';
import { readStripe } from './dead-letter-formats/stripe.ts';
import { readTemporal } from './dead-letter-formats/temporal.ts';
import { readWebhookOf } from './dead-letter-formats/webhook.ts';
import { readWolverine } from './dead-letter-formats/wolverine.ts';
import type { DeadLetterFormat, Transport } from './message.ts';
import { presets } from './sources/presets.ts';
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

/** All dead-letter formats, in order of precedence: the first that recognizes a message reads it. */
export const deadLetterFormats: readonly Named<DeadLetterFormat>[] = [
  ['exported-event', readExportedEvent],
  ['kafka-connect', readKafkaConnect],
  ['spring-kafka', readSpringKafka],
  ['application', readApplication],
  ['spring-cloud-stream', readSpringCloudStream],
  ['kafka-streams', readKafkaStreams],
  ['kafka-share-group', readKafkaShareGroup],
  ['smallrye', readSmallRye],
  ['karafka', readKarafka],
  ['wolverine', readWolverine],
  ['confluent-http-reporter', readConfluentHttpReporter],
  ['masstransit', readMassTransit],
  ['masstransit-fault', readMassTransitFault],
  ['nservicebus', readNServiceBus],
  ['celery', readCelery],
  ['rabbitmq', readRabbitDeadLetter],
  ['aws-failure', readAwsFailure],
  ['aws-lambda-destination', readLambdaDestination],
  ['aws-stream-batch', readStreamBatch],
  ['azure-event-grid', readEventGridEvent],
  ['azure-event-grid-cloudevent', readEventGridCloudEvent],
  ['pubsub-dead-letter', readPubSubDeadLetter],
  ['knative-kafka', readKnativeKafka],
  ['knative', readKnative],
  ['dapr', readDapr],
  ['dataflow', readDataflow],
  ['beam-bad-record', readBeamBadRecord],
  ['sidekiq', readSidekiq],
  ['bullmq', readBullMq],
  ['celery-result', readCeleryResult],
  ['river', readRiver],
  ['pg-boss', readPgBoss],
  ['temporal', readTemporal],
  ['nats-advisory', readNatsAdvisory],
  ['kafka-cloudevent', readKafkaCloudEvent],
  ['kafka', readKafka],
  ['stripe', readStripe],
  ...presets
    .filter(({ headers }) => headers.length > 0)
    .map((preset) => [preset.name, readWebhookOf(preset)] as const),
  ['debezium', readDebezium],
];
