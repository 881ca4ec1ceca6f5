import { toStorableText } from '../../shared/storable-text.ts';
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
import { readValue } from './carriers/value.ts';
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
import { digest, findRedeliveredId, keyFromContent } from './identity.ts';
import type { Capture, Carrier, Facts, Family, Inbound, Message } from './message.ts';
import { splitBatch } from './split-batch.ts';

/** First the transport is peeled off, then what is inside is looked at. The first that recognises its own decides. */
const carriers: readonly Carrier[] = [
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
const families: readonly Family[] = [
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

/**
 * Turns a request into the events that it carries. What nobody recognises is an event as it is; only requests that
 * are known to carry none, as those of SNS to confirm a subscription, become none.
 */
export function readCaptures(request: Inbound): Capture[] {
  const messages = findFirst(carriers, request);
  if (messages) return messages.map((message) => complete(message, request));
  const parts = splitBatch(request);
  if (!parts) return [complete(readValue(request), request)];
  return parts.flatMap(({ request: part, contentKey }) =>
    (findFirst(carriers, part) ?? [readValue(part, contentKey)]).map((message) => complete(message, part)),
  );
}

function complete({ facts, ...message }: Message, request: Inbound): Capture {
  const all = { ...noFacts, ...facts, ...findFirst(families, { ...message, facts }) };
  const redeliveredId = findRedeliveredId(message.headers) ?? findRedeliveredId(request.headers);
  return {
    ...message,
    ...all,
    redeliveredId,
    eventKey: fitKey(all.eventKey ?? keyFromContent(all.body ?? message.body)),
  };
}

function findFirst<Input, Found>(
  readers: readonly ((input: Input) => Found | undefined)[],
  input: Input,
): Found | undefined {
  for (const read of readers) {
    const found = read(input);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An index entry has a limit of some 2,700 bytes, ids that people choose have none; they may hold anything, too. */
function fitKey(key: string): string {
  const fitting = Buffer.byteLength(key) <= 1000 ? key : `${key.slice(0, 200)}~${digest(key)}`;
  return toStorableText(fitting);
}

const noFacts: Omit<Facts, 'eventKey' | 'redeliveredId'> = {
  carrierId: null,
  eventType: 'unknown',
  eventId: null,
  errorReason: null,
  errorStacktrace: null,
  errorClass: null,
  sourceKind: 'unknown',
  sourceTopic: null,
  sourcePartition: null,
  sourceOffset: null,
  sourceKey: null,
  sourceSubscription: null,
  consumerGroup: null,
  sourceAttempts: null,
  traceId: null,
  occurredAt: null,
  metadata: null,
};
