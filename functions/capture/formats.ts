import { readSns } from './carriers/aws-sns.ts';
import { readSqsRecords } from './carriers/aws-sqs.ts';
import { readServiceBusMessage } from './carriers/azure-service-bus.ts';
import { readCloudTask } from './carriers/cloud-tasks.ts';
import { readCloudEvent } from './carriers/cloudevent.ts';
import { readKafkaRecords } from './carriers/kafka-records.ts';
import { readPubSubPush } from './carriers/pubsub-push.ts';
import { readUnwrappedPush } from './carriers/pubsub-unwrapped-push.ts';
import { readPulsarRecord } from './carriers/pulsar-http.ts';
import { readRabbitMessages } from './carriers/rabbitmq.ts';
import { readReport } from './carriers/report.ts';
import { readAwsFailure } from './families/aws-failure.ts';
import { readLambdaDestination } from './families/aws-lambda-destination.ts';
import { readBeamBadRecord } from './families/beam-bad-record.ts';
import { readCelery } from './families/celery.ts';
import { readConfluentHttpReporter } from './families/confluent-http-reporter.ts';
import { readDapr } from './families/dapr.ts';
import { readDataflow } from './families/dataflow.ts';
import { readKafka } from './families/kafka.ts';
import { readKafkaCloudEvent } from './families/kafka-cloudevent.ts';
import { readKafkaConnect } from './families/kafka-connect.ts';
import { readKafkaShareGroup } from './families/kafka-share-group.ts';
import { readKafkaStreams } from './families/kafka-streams.ts';
import { readKarafka } from './families/karafka.ts';
import { readKnative } from './families/knative.ts';
import { readMassTransit } from './families/masstransit.ts';
import { readMassTransitFault } from './families/masstransit-fault.ts';
import { readNServiceBus } from './families/nservicebus.ts';
import { readPubSubDeadLetter } from './families/pubsub-dead-letter.ts';
import { readRabbitDeadLetter } from './families/rabbitmq.ts';
import { readSmallRye } from './families/smallrye.ts';
import { readSpringCloudStream } from './families/spring-cloud-stream.ts';
import { readSpringKafka } from './families/spring-kafka.ts';
import { readWolverine } from './families/wolverine.ts';
import type { Carrier, Family } from './message.ts';

/** The ways of transport, in the order in which they are tried: the first that recognises its own decides. */
export const carriers: readonly Carrier[] = [
  readUnwrappedPush,
  readCloudEvent,
  readPulsarRecord,
  readCloudTask,
  readSns,
  readPubSubPush,
  readSqsRecords,
  readServiceBusMessage,
  readKafkaRecords,
  readRabbitMessages,
  readReport,
];
/** The conventions of dead letters, in the order in which they are tried: the first that recognises its own decides. */
export const families: readonly Family[] = [
  readKafkaConnect,
  readSpringKafka,
  readSpringCloudStream,
  readKafkaStreams,
  readKafkaShareGroup,
  readSmallRye,
  readKarafka,
  readWolverine,
  readConfluentHttpReporter,
  readMassTransit,
  readMassTransitFault,
  readNServiceBus,
  readCelery,
  readRabbitDeadLetter,
  readAwsFailure,
  readLambdaDestination,
  readPubSubDeadLetter,
  readKnative,
  readDapr,
  readDataflow,
  readBeamBadRecord,
  readKafkaCloudEvent,
  readKafka,
];
