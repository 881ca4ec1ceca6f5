import type { FormatRecord } from './format.ts';

const apache = 'https://github.com/apache/kafka/blob/trunk';
const github = 'https://github.com';

/** SmallRye writes its headers before those that it copies. It reports no stack trace, and no consumer. */
function defineSmallRye(prefix: string, more: Partial<FormatRecord>): FormatRecord {
  return {
    name: 'smallrye',
    source: `${github}/smallrye/smallrye-reactive-messaging/blob/main/smallrye-reactive-messaging-kafka/src/main/java/io/smallrye/reactive/messaging/kafka/fault/KafkaDeadLetterQueue.java`,
    under: `newest:${prefix}`,
    error: ['exception-class-name', 'reason | cause', null],
    omit: new RegExp(`^${prefix}(.+-(name|timestamp)|reason|cause|topic|partition|offset|count)$`, 'i'),
    ...more,
  };
}

const originalTopic = 'own:original.topic | own:source.topic';

/** Dead letters of Kafka's frameworks, in order of precedence. */
export const kafkaFormats: readonly FormatRecord[] = [
  {
    name: 'kafka-connect',
    source: `${apache}/connect/runtime/src/main/java/org/apache/kafka/connect/runtime/errors/DeadLetterQueueReporter.java`,
    under: 'header:__connect.errors.',
    error: ['exception.class.name', 'exception.message', 'exception.stacktrace'],
    consumer: 'connector.name as prefix:connect-',
    time: 'record:occurredAt',
    metadata: { stage: 'stage' },
    omit: /^__connect\.errors\./i,
    seen: 'recorded from Kafka Connect 4.3.1',
    note: 'The consumer is `connect-NAME`.',
  },
  {
    name: 'spring-kafka',
    source: `${github}/spring-projects/spring-kafka/blob/main/spring-kafka/src/main/java/org/springframework/kafka/listener/DeadLetterRecordManager.java`,
    // It writes the last exception under any of three names, and the first topic under two.
    under: 'header:kafka_',
    position: [
      'original-topic | dlt-original-topic',
      'original-partition as int | dlt-original-partition as int',
      'original-offset as int | dlt-original-offset as int',
    ],
    class:
      'dlt-exception-cause-fqcn | dlt-key-exception-cause-fqcn | exception-cause-fqcn | dlt-exception-fqcn | dlt-key-exception-fqcn | exception-fqcn',
    reason: 'dlt-exception-message | dlt-key-exception-message | exception-message',
    stack: 'dlt-exception-stacktrace | dlt-key-exception-stacktrace | exception-stacktrace',
    consumer: 'dlt-original-consumer-group',
    attempts: 'code:springAttempts',
    time: 'original-timestamp as intMillis | dlt-original-timestamp as intMillis | header:retry_topic-original-timestamp as intMillis',
    omit: /^(kafka_(dlt|original|exception)-|kafka_deliveryAttempt$|retry_topic-|springDeserializerException)/i,
    code: 'the header of retry topics counts the next delivery, and only of one hop',
    seen: 'recorded from Spring Kafka 3.3.16',
    note: 'Attempts with retry topics or `deliveryAttemptHeader`.',
  },
  {
    name: 'application',
    source: 'https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/side_output/',
    under: 'own:',
    when: { [originalTopic]: 'text' },
    position: [
      originalTopic,
      'original.partition as number | source.partition as number',
      'original.offset as number | source.offset as number',
    ],
    isOfRecord: true,
    class:
      'error.class | exception.class | error.class.name | exception.class.name | error.type | exception.type',
    reason:
      'error.message | exception.message | error.reason | failure.reason | failure.message | error | exception | reason',
    stack: 'error.stacktrace | exception.stacktrace | error.stack | stacktrace | stack.trace',
    consumer: 'consumer.group | consumer.group.id | group.id | group | consumer',
    attempts: 'attempts | attempt | attempt.number | delivery.count | retry.count | retries',
    time: 'original.timestamp as timeOrBytes | source.timestamp as timeOrBytes',
    seen: 'recorded from a side output of Flink 2.2.0, written by its Kafka connector 5.0.0; names that applications use',
    note: 'Without the position of the original, that of the dead letter is kept.',
  },
  {
    name: 'spring-cloud-stream',
    source: `${github}/spring-cloud/spring-cloud-stream/blob/main/binders/kafka-binder/spring-cloud-stream-binder-kafka/src/main/java/org/springframework/cloud/stream/binder/kafka/KafkaMessageChannelBinder.java`,
    under: 'header:x-',
    when: {
      'original-topic': 'there',
      'exception-fqcn | exception-message | exception-stacktrace | original-partition | original-offset':
        'there',
    },
    position: ['original-topic', 'original-partition as int', 'original-offset as int'],
    error: ['exception-fqcn', 'exception-message', 'exception-stacktrace'],
    consumer: 'code:binderGroup',
    time: 'original-timestamp as intMillis',
    omit: /^x-(original-(topic|partition|offset|timestamp(-type)?)|exception-(fqcn|message|stacktrace))$/i,
    code: 'the group is only in the name of the topic that was read next',
    seen: 'recorded from 4.3.0, Kafka binder',
    note: 'The consumer is from the topic, `error.DESTINATION.GROUP`.',
  },
  {
    name: 'kafka-streams',
    source: `${apache}/streams/src/main/java/org/apache/kafka/streams/errors/internals/ExceptionHandlerUtils.java`,
    under: 'header:__streams.errors.',
    error: ['exception', 'message', 'stacktrace'],
    time: 'record:occurredAt',
    omit: /^__streams\.errors\./i,
    seen: 'recorded from Kafka Streams 4.3.1',
  },
  {
    name: 'kafka-share-group',
    source: `${apache}/server/src/main/java/org/apache/kafka/server/share/dlq/ShareGroupDLQStateManager.java`,
    under: 'header:__dlq.errors.',
    reason: 'message',
    consumer: 'group',
    attempts: 'delivery.count',
    omit: /^__dlq\.errors\./i,
    seen: 'recorded from Kafka 4.4.0',
    note: 'The reason is a sentence of the broker. The key is only there if the group copies it.',
  },
  defineSmallRye('dead-letter-', { seen: 'recorded from 4.36.0' }),
  defineSmallRye('delayed-retry-', { attempts: 'count as next', time: 'original-timestamp as millis' }),
  {
    name: 'karafka',
    source: 'https://karafka.io/docs/Pro-Enhanced-Dead-Letter-Queue/',
    under: 'header:source_',
    when: { topic: 'there', partition: 'there', offset: 'there' },
    consumer: 'consumer_group',
    attempts: 'attempts',
    omit: /^source_(topic|partition|offset|consumer_group|attempts|trace_id)$/i,
  },
  {
    name: 'wolverine',
    source: `${github}/JasperFx/wolverine/blob/main/src/Wolverine/Transports/DeadLetterQueueConstants.cs`,
    when: { 'exception-type': 'there', 'failed-at': 'there' },
    position: ['original-destination as name', 'original-partition', 'original-offset'],
    error: ['exception-type', 'exception-message', 'exception-stack'],
    type: 'message-type',
    attempts: 'attempts',
    omit: /^(exception-(type|message|stack)|failed-at|original-(destination|partition|offset)|attempts)$/i,
  },
  {
    name: 'confluent-http-reporter',
    kind: 'confluent-http',
    source: 'https://docs.confluent.io/kafka-connectors/http/current/overview.html',
    under: 'header:input_record_',
    when: { topic: 'there' },
    reason: ['header:status_code', 'header:reason_phrase', 'header:error_message'],
    time: 'timestamp as millis',
    body: 'header:payload',
    omit: /^(input_record_.*|error_message|exception|response_content|status_code|reason_phrase|url|payload)$/i,
    seen: "documentation, an issue's output",
    note: 'The value is a sentence; the message is in the header `payload`.',
  },
];

/** Records that report no failure: a CloudEvent, and any other. */
export const plainKafkaFormats: readonly FormatRecord[] = [
  {
    name: 'kafka-cloudevent',
    kind: 'kafka',
    source: `${github}/cloudevents/spec/blob/main/cloudevents/bindings/kafka-protocol-binding.md`,
    when: {
      'ce_id | record:ce-id': 'text',
      'ce_source | record:ce-source': 'text',
      'ce_type | record:ce-type': 'text',
    },
    time: 'ce_time | ce-time',
    key: 'record:sourceKey | ce_subject | ce-subject',
    seen: 'specification',
  },
  {
    name: 'kafka',
    source: 'https://kafka.apache.org/documentation/#record',
    when: { 'record:isRecord': 'text' },
    seen: "recorded from Strimzi's bridge 1.1.0",
  },
];
