import type { FormatRecord, Places } from './format.ts';

const reason = 'header:x-first-death-reason | death:/reason';
const queue = 'header:x-first-death-queue | death:/queue';

/** The queue is the consumer, too. */
const failedIn = (queue: Places) => ({ subscription: queue, scope: queue });

/** What RabbitMQ writes when it dead-letters a message. */
const rabbit: FormatRecord = {
  name: 'rabbitmq',
  source: 'https://www.rabbitmq.com/docs/dlx#effects',
  when: { [`${reason} | ${queue}`]: 'text' },
  topicType: 'death:/routing-keys/0 | transport:sourceKey',
  reason,
  topic: 'header:x-first-death-exchange | death:/exchange',
  key: 'death:/routing-keys/0 | transport:sourceKey',
  ...failedIn(queue),
  attempts: 'death:/rejections',
  metadata: { deadLetteredAt: 'death:/time' },
  omit: /^x-(death$|(first|last)-death-|delivery-count$)/i,
  seen: 'recorded from RabbitMQ 3.10.8 and 4.0.5',
  note: 'The type is `type`, else the routing key. The reason is `rejected`, `expired`, `maxlen` or `delivery_limit`.',
};

/** Spring's `RepublishMessageRecoverer` names the queue only as the routing key of the default exchange. */
const springAmqp: FormatRecord = {
  ...rabbit,
  kind: 'spring-amqp',
  source:
    'https://docs.spring.io/spring-amqp/reference/amqp/resilience-recovering-from-errors-and-broker-failures.html',
  under: 'header:x-',
  when: { 'original-exchange': 'text' },
  reason: 'exception-message',
  stack: 'exception-stacktrace',
  topicType: `original-routingKey | ${rabbit.key}`,
  topic: 'original-exchange',
  key: `original-routingKey | ${rabbit.key}`,
  ...failedIn(null),
  omit: /^x-(original-(exchange|routingKey)|exception-(message|stacktrace))$/i,
  seen: 'recorded from Spring AMQP 3.2.7',
};

/** What brokers and their clients write, most of it into headers, in order of precedence. */
export const brokerFormats: readonly FormatRecord[] = [
  {
    name: 'celery',
    source: 'https://docs.celeryq.dev/en/stable/internals/protocol.html',
    when: { task: 'text', id: 'text', 'retries | root_id': 'text' },
    id: 'id',
    type: 'task',
    reason,
    topic: rabbit.topic,
    subscription: `${queue} | transport:sourceSubscription`,
    key: null,
    attempts: 'retries as next',
    time: null,
    omit: /^(retries|x-(death|first-death-.*))$/i,
  },
  springAmqp,
  { ...springAmqp, when: { 'original-routingKey': 'text' }, ...failedIn('original-routingKey') },
  rabbit,
  {
    // A message that its consumer gave up. Pulsar's HTTP sink writes the names of properties in lower case.
    name: 'pulsar-dead-letter',
    kind: 'pulsar',
    source: 'https://pulsar.apache.org/docs/concepts-messaging/#dead-letter-topic',
    when: { REAL_TOPIC: 'text', 'ORIGIN_MESSAGE_ID | REAL_SUBSCRIPTION': 'text' },
    identity: ['REAL_TOPIC', 'ORIGIN_MESSAGE_ID'],
    topicType: 'REAL_TOPIC as name',
    topic: 'REAL_TOPIC as name',
    consumer: 'REAL_SUBSCRIPTION',
    attempts: 'RECONSUMETIMES',
    omit: /^(REAL_(TOPIC|SUBSCRIPTION)|ORIGIN_MESSAGE_ID|RECONSUMETIMES)$/i,
  },
  {
    name: 'pubsub-dead-letter',
    kind: null,
    scheme: 'pubsub-dl',
    source: 'https://cloud.google.com/pubsub/docs/dead-letter-topics',
    under: 'header:CloudPubSubDeadLetterSource',
    when: { Subscription: 'text' },
    reason: 'DeliveryErrorMessage',
    identity: ['code:forwardedSubscription', 'code:forwardedContent'],
    subscription: 'code:forwardedSubscription',
    scope: 'code:forwardedConsumer',
    attempts: 'DeliveryCount',
    published: 'TopicPublishTime',
    failedAt: 'code:forwardedAt',
    omit: /^CloudPubSubDeadLetter/i,
    code: 'copies have ids of their own: the content and its publication are the identity',
    seen: 'documentation',
    note: 'Only copies of BigQuery subscriptions have a reason.',
  },
  {
    name: 'knative',
    source: 'https://knative.dev/docs/eventing/event-delivery/',
    under: 'ce:knativeerror',
    when: { 'dest | code | data': 'text' },
    reason: ['code as prefix:HTTP ', 'data as cutBase64'],
    topic: 'ce:source',
    subscription: null,
    consumer: 'dest',
    omit: /^(ce[-_])?knativeerror(dest|code|data)$/i,
  },
  {
    name: 'dapr',
    source: 'https://docs.dapr.io/developing-applications/building-blocks/pubsub/pubsub-deadletter/',
    under: 'ce:',
    when: { pubsubname: 'text', topic: 'text' },
    topic: 'topic',
    trace: 'traceparent | traceid',
  },
  {
    name: 'dataflow',
    source: 'https://github.com/GoogleCloudPlatform/DataflowTemplates',
    under: 'json:/',
    // The message in a report is declared.
    when: { 'transport:origin': /^(?!report)/, errorMessage: 'text', 'payloadBytes | payloadString': 'text' },
    only: { '': ['timeSent'] },
    reason: 'errorMessage',
    stack: 'stackTrace | stacktrace',
    time: 'timestamp',
    body: 'payloadBytes as base64 | payloadString',
    headers: 'attributes',
  },
  {
    name: 'dataflow',
    source: 'https://github.com/GoogleCloudPlatform/DataflowTemplates',
    // Of another transport, the name of a header may be any sender's.
    when: { 'transport:sourceKind': /^(pubsub|eventarc)$/, errorMessage: 'text' },
    reason: 'errorMessage',
    time: 'timestamp | transport:occurredAt',
    omit: /^errorMessage$/i,
  },
];
