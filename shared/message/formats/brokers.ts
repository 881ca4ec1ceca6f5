import { defineFormat, type Format } from './format.ts';

const massTransit = 'https://github.com/MassTransit/MassTransit/blob/develop/src/MassTransit.Abstractions';

/**
 * The body of an `_error` or `_skipped` queue stays the whole envelope, which MassTransit's consumers expect.
 */
function defineMassTransit(more: Partial<Format>): Format {
  return defineFormat({
    name: 'masstransit',
    of: 'headers',
    source: `${massTransit}/MessageHeaders.cs`,
    under: 'header:MT-',
    error: ['Fault-ExceptionType', 'Fault-Message', 'Fault-StackTrace'],
    facts: {
      identity: 'OriginalMessageId | json:/messageId',
      id: 'OriginalMessageId | json:/messageId',
      type: 'Fault-MessageType | json:/messageType/0',
      condition: 'Reason',
      topic: 'Fault-InputAddress',
      scope: 'Fault-InputAddress',
      consumer: 'Fault-ConsumerType',
      subscription: null,
      key: null,
      attempts: 'Fault-RetryCount as next',
      time: 'json:/sentTime',
    },
    omit: /^MT-(Reason$|Fault-|Host-)/i,
    ...more,
  });
}

/**
 * The `Fault<T>` that MassTransit publishes, in its envelope or bare. The endpoint whose consumer failed
 * publishes it.
 */
function defineMassTransitFault(fault: '/' | '/message/', more: Partial<Format>): Format {
  return defineFormat({
    name: 'masstransit-fault',
    of: 'headers',
    kind: 'masstransit',
    source: `${massTransit}/Fault.cs`,
    under: `json:${fault}`,
    when: { faultedMessageId: 'text', exceptions: 'list', message: 'there' },
    takes: `${fault}message`,
    error: ['exceptions/0/exceptionType', 'exceptions/0/message', 'exceptions/0/stackTrace'],
    facts: {
      identity: 'faultedMessageId',
      id: 'faultedMessageId',
      type: 'faultMessageTypes/0',
      subscription: null,
      key: null,
    },
    ...more,
  });
}

/** Spring's `RepublishMessageRecoverer` names the queue only as the routing key of the default exchange. */
function defineSpringAmqp(queue: string, when: Format['when'] = {}): Format {
  return defineFormat({
    name: 'rabbitmq',
    of: 'headers',
    kind: 'spring-amqp',
    source:
      'https://docs.spring.io/spring-amqp/reference/amqp/resilience-recovering-from-errors-and-broker-failures.html',
    under: 'header:x-',
    when,
    error: [null, 'exception-message', 'exception-stacktrace'],
    facts: {
      topicType: 'original-routingKey | death:routing-key | transport:sourceKey',
      condition: 'death:reason',
      topic: 'original-exchange',
      key: 'original-routingKey | death:routing-key | transport:sourceKey',
      subscription: queue,
      scope: queue,
      attempts: 'death:rejections',
    },
    metadata: { deadLetteredAt: 'death:time' },
    omit: /^x-(original-(exchange|routingKey)|exception-(message|stacktrace))$/i,
    seen: 'recorded from Spring AMQP 3.2.7',
  });
}

/** Whether a generated event has a random id: then its content is its identity. */
function defineDapr(more: Partial<Format>): Format {
  return defineFormat({
    name: 'dapr',
    of: 'headers',
    source: 'https://docs.dapr.io/developing-applications/building-blocks/pubsub/pubsub-deadletter/',
    under: 'ce:',
    when: { pubsubname: 'text', topic: 'text' },
    facts: { topic: 'topic', trace: 'traceparent | traceid' },
    seen: 'source',
    ...more,
  });
}

/** What brokers and their clients write into headers, in order of precedence. */
export const brokerFormats: readonly Format[] = [
  defineMassTransit({
    when: { Reason: /^fault$/, 'Fault-RetryCount': 'none' },
    facts: { ...defineMassTransit({}).facts, attempts: 'text:1' },
    seen: 'source',
  }),
  defineMassTransit({ when: { 'Reason | Fault-Message | Fault-ExceptionType': 'text' } }),
  defineMassTransitFault('/', { seen: 'source' }),
  defineMassTransitFault('/message/', {
    facts: {
      ...defineMassTransitFault('/message/', {}).facts,
      topic: 'json:/sourceAddress',
      scope: 'json:/sourceAddress',
      time: 'json:/sentTime',
    },
  }),
  defineFormat({
    name: 'nservicebus',
    of: 'headers',
    source: 'https://docs.particular.net/nservicebus/messaging/headers',
    under: 'header:NServiceBus.',
    when: { 'FailedQ | ExceptionInfo.Message': 'text' },
    error: ['ExceptionInfo.ExceptionType', 'ExceptionInfo.Message', 'ExceptionInfo.StackTrace'],
    facts: {
      identity: 'MessageId',
      id: 'MessageId',
      type: 'EnclosedMessageTypes as before:,;',
      topic: 'FailedQ',
      scope: 'FailedQ',
      subscription: null,
      key: null,
      attempts: 'Retries as next',
      time: 'TimeSent',
    },
    omit: /^NServiceBus\.(ExceptionInfo\.|FailedQ$|TimeOfFailure$|(FL)?Retries\b)/i,
    seen: 'source',
    note: 'Attempts are delayed retries + 1.',
  }),
  defineFormat({
    name: 'celery',
    of: 'headers',
    source: 'https://docs.celeryq.dev/en/stable/internals/protocol.html',
    under: 'header:',
    when: { task: 'text', id: 'text', 'retries | root_id': 'text' },
    facts: {
      identity: 'id',
      id: 'id',
      type: 'task',
      condition: 'death:reason',
      topic: 'death:exchange | transport:sourceTopic',
      subscription: 'death:queue | transport:sourceSubscription',
      key: null,
      attempts: 'retries as next',
      time: null,
    },
    omit: /^retries$/i,
    seen: 'recorded from Celery 5.7.0',
  }),
  defineSpringAmqp('text:', { 'original-exchange': 'text' }),
  defineSpringAmqp('original-routingKey', { 'original-routingKey': 'text' }),
  defineFormat({
    name: 'rabbitmq',
    of: 'headers',
    source: 'https://www.rabbitmq.com/docs/dlx#effects',
    when: { 'death:reason | death:queue': 'text' },
    facts: {
      topicType: 'death:routing-key | transport:sourceKey',
      condition: 'death:reason',
      topic: 'death:exchange',
      key: 'death:routing-key | transport:sourceKey',
      subscription: 'death:queue',
      scope: 'death:queue',
      attempts: 'death:rejections',
    },
    metadata: { deadLetteredAt: 'death:time' },
    omit: /^x-(death$|(first|last)-death-|delivery-count$)/i,
    seen: 'recorded from RabbitMQ 3.10.8 and 4.0.5',
    note: 'The type is `type`, else the routing key. The reason is `rejected`, `expired`, `maxlen` or `delivery_limit`.',
  }),
];

/** A message that Pulsar's consumer gave up. Its HTTP sink writes the names of properties in lower case. */
export const pulsarFormat = defineFormat({
  name: 'pulsar-dead-letter',
  of: 'headers',
  kind: 'pulsar',
  source: 'https://pulsar.apache.org/docs/concepts-messaging/#dead-letter-topic',
  under: 'header:',
  when: { REAL_TOPIC: 'text', 'ORIGIN_MESSAGE_ID | REAL_SUBSCRIPTION': 'text' },
  facts: {
    identity: ['REAL_TOPIC', 'ORIGIN_MESSAGE_ID'],
    topicType: 'REAL_TOPIC as after:/',
    topic: 'REAL_TOPIC as after:/',
    consumer: 'REAL_SUBSCRIPTION',
    attempts: 'RECONSUMETIMES',
  },
  omit: /^(REAL_(TOPIC|SUBSCRIPTION)|ORIGIN_MESSAGE_ID|RECONSUMETIMES)$/i,
  seen: 'source',
});

/** Formats of Pub/Sub and of CloudEvents, in order of precedence. */
export const eventFormats: readonly Format[] = [
  defineFormat({
    name: 'pubsub-dead-letter',
    of: 'headers',
    kind: null,
    source: 'https://cloud.google.com/pubsub/docs/dead-letter-topics',
    under: 'header:CloudPubSubDeadLetterSource',
    when: { Subscription: 'text' },
    error: [null, 'DeliveryErrorMessage', null],
    facts: { attempts: 'DeliveryCount', time: 'TopicPublishTime' },
    omit: /^CloudPubSubDeadLetter/i,
    code: ['pubsub', 'copies have ids of their own: the content and its publication are the identity'],
    seen: 'documentation',
    note: 'Only copies of BigQuery subscriptions have a reason.',
  }),
  defineFormat({
    name: 'knative',
    of: 'headers',
    source: 'https://knative.dev/docs/eventing/event-delivery/',
    under: 'ce:knativeerror',
    when: { 'dest | code | data': 'text' },
    error: [null, ['code as http', 'data as cutBase64'], null],
    facts: { topic: 'ce:source', subscription: null, consumer: 'dest' },
    omit: /^(ce[-_])?knativeerror(dest|code|data)$/i,
    seen: 'source',
  }),
  defineDapr({
    when: {
      pubsubname: 'text',
      topic: 'text',
      source: /^Dapr$/,
      datacontenttype: /^application\/octet-stream$/,
    },
    facts: { identity: 'text:content', id: null, topic: 'topic', trace: 'traceparent | traceid' },
  }),
  defineDapr({}),
];
