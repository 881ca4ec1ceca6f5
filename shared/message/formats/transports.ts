import { complete, type Format, type FormatRecord } from './format.ts';

const at = { topic: 'text', partition: 'count', offset: /^\d{1,18}$/ } as const;
const noBridge = /^(?!application\/vnd\.kafka\.(json|binary|text)\b)/i;

/**
 * A record of Kafka in JSON, as Confluent's sinks for functions, rpk and AKHQ write it. Its headers are texts
 * that may look like base64; only a media type says so.
 */
const record: FormatRecord = {
  name: 'kafka-records',
  kind: 'kafka',
  source: 'https://docs.confluent.io/kafka-connectors/gcp-functions/current/overview.html',
  when: { 'header:content-type': noBridge, ...at, value: 'there' },
  only: { '': ['timestampType', 'keySchemaId', 'valueSchemaId', 'leader_epoch', 'size'] },
  position: ['topic', 'partition', 'offset'],
  time: 'timestamp as date',
  key: 'key as text',
  body: 'value as text',
  headers: 'headers',
  // Confluent Cloud and Control Center print values with a schema again.
  origin: '__confluent_index as reprinted',
  metadata: { envelope: 'json: as schemas' },
};

/** The media type says how a bridge prints key, value and headers. */
function defineBridged(form: string, more: Partial<FormatRecord>): FormatRecord {
  const type = new RegExp(`^application/vnd\\.kafka\\.${form}\\b`, 'i');
  const source = 'https://strimzi.io/docs/bridge/latest/';
  const when = { ...record.when, 'header:content-type': type };
  return { ...record, source, when, headers: 'headers as bytes', ...more };
}

const ofPayload = ['encoding', 'isPayloadNull', 'schemaId', 'size'];

const topic = 'header:ce-source as topic';
const subscription = `json:/subscription | ${topic}`;
const messageId = 'messageId | message_id';

/** `deliveryAttempt` counts the deliveries to capture. */
const push: FormatRecord = {
  name: 'pubsub',
  source: 'https://cloud.google.com/pubsub/docs/push',
  under: 'json:/message/',
  // What `gcloud` pulled has an `ackId` and no subscription.
  when: { [`${subscription} | json:/ackId`]: 'text', [messageId]: 'text', 'data | attributes': 'filled' },
  only: { '': ['deliveryAttempt', 'ackId', 'ackStatus'], '/message': [] },
  identity: [subscription, messageId],
  delivery: messageId,
  published: 'publishTime | publish_time',
  subscription: 'json:/subscription',
  key: 'orderingKey | ordering_key | ce:subject',
  time: 'ce:time',
  contentType: 'ce:datacontenttype',
  body: 'data as base64',
  headers: 'attributes',
};

/** How requests bring messages, in order of precedence. */
const records: readonly FormatRecord[] = [
  {
    // Without `write_metadata` such a request looks like any other. The emulator names the key differently.
    name: 'pubsub-unwrapped',
    kind: 'pubsub',
    source: 'https://cloud.google.com/pubsub/docs/payload-unwrapping',
    under: 'header:x-goog-pubsub-',
    when: { 'message-id': 'text', 'subscription-name': 'text' },
    identity: ['subscription-name', 'message-id'],
    delivery: 'message-id',
    published: 'publish-time',
    subscription: 'subscription-name',
    key: 'ordering-key | header:x-goog-ordering-key | ce:subject',
    time: 'ce:time',
    contentType: 'ce:datacontenttype',
  },
  {
    // Eventarc delivers a push in a CloudEvent, which names the topic.
    ...push,
    name: 'cloudevents',
    kind: 'eventarc',
    scheme: 'pubsub',
    source: 'https://cloud.google.com/eventarc/docs/cloudevents',
    when: { 'header:ce-type': /^google\.cloud\.pubsub\.topic\.v1\.messagePublished$/, ...push.when },
    topic,
  },
  {
    // Over HTTP in binary mode. In structured mode, as if it were in binary mode.
    name: 'cloudevents',
    source: 'https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/http-protocol-binding.md',
    under: 'ce:',
    when: { specversion: 'text', id: 'text', source: 'text', type: 'text' },
    topic: 'source',
    key: 'subject',
    time: 'time',
  },
  push,
  {
    name: 'pulsar',
    source: 'https://pulsar.apache.org/docs/io-http-sink',
    under: 'header:pulsar',
    when: { topic: 'text', messageid: 'text' },
    identity: ['topic', 'messageid'],
    delivery: 'messageid',
    topicType: 'topic',
    topic: 'topic',
    key: 'key',
    time: 'eventtime as millis | publishtime as millis',
    headers: 'properties-*',
  },
  {
    // Its retry count counts requests to capture.
    name: 'cloud-tasks',
    source: 'https://cloud.google.com/tasks/docs/creating-http-target-tasks#handler',
    under: 'header:x-cloudtasks-',
    when: { queuename: 'text', taskname: 'text' },
    scheme: 'cloudtasks',
    identity: ['queuename', 'taskname'],
    delivery: 'taskname',
    topic: 'queuename',
    time: 'tasketa as time',
  },
  // A bridge prints JSON again: 1.50 became 1.5.
  defineBridged('json', { body: 'value as source', origin: 'text:bridge' }),
  defineBridged('binary', { key: 'key as bytes', body: 'value as base64' }),
  defineBridged('text', {}),
  record,
  // As kaf writes it.
  { ...record, when: { ...at, timestamp: 'date', payload: 'text' }, body: 'payload as text' },
  {
    // `kcat -J`. With an Avro schema it prints JSON.
    ...record,
    name: 'kcat',
    source: 'https://github.com/edenhill/kcat/blob/master/json.c',
    when: { ...at, broker: 'count', key: 'there', payload: 'there' },
    only: { '': ['tstype', 'key_schema_id', 'value_schema_id'] },
    time: 'ts as millis',
    body: 'payload as text',
    headers: 'headers as list',
    origin: 'payload as reprinted',
  },
  {
    // Redpanda Console saves no topic, which is in the path, and prints each value again.
    ...record,
    source: 'https://github.com/redpanda-data/console',
    when: { partitionID: 'count', 'value/encoding': /^(?!binary)./, 'value/payload': 'filled' },
    only: { '': ['compression', 'isTransactional'], '/key': ofPayload, '/value': ofPayload },
    position: ['path:topic', 'partitionID', 'offset'],
    key: 'key/rawPayload as base64Key | key/payload as filled',
    body: 'value/rawPayload as base64 | value/payload as text',
    headers: 'headers as saved',
    metadata: { envelope: 'value as schemas' },
    origin: 'text:bridge',
  },
  {
    // Nor does Kafka UI, whose values may be printed from a schema. Releases of 2022 call them content.
    ...record,
    source: 'https://github.com/kafbat/kafka-ui',
    when: { Partition: 'count', Offset: at.offset, Timestamp: 'date', 'Value | Content': 'text' },
    only: { '': [] },
    position: ['path:topic', 'Partition', 'Offset'],
    ...{ time: 'Timestamp', key: 'Key as text', headers: 'Headers', origin: 'text:bridge' },
    body: 'Value as string | Content as string',
  },
  // RabbitMQ's management API prints a payload as a text, or in base64.
  ...[/^string$/, /^base64$/].map(
    (encoding, i): FormatRecord => ({
      name: 'rabbitmq',
      source: 'https://www.rabbitmq.com/docs/http-api-reference',
      when: { payload: 'there', payload_encoding: encoding, properties: 'object' },
      only: { '': ['payload_bytes', 'redelivered', 'message_count'] },
      id: 'properties/message_id',
      type: 'properties/type',
      topicType: 'routing_key',
      topic: 'exchange',
      key: 'routing_key',
      time: 'properties/timestamp as time',
      contentType: 'properties/content_type',
      headers: 'properties/headers as printed',
      metadata: { properties: 'properties as properties', nullHeaders: 'properties/headers as nulls' },
      body: i === 0 ? 'payload as string' : 'payload as base64',
    }),
  ),
];

export const transportFormats: readonly Format[] = complete({ of: 'transport', under: 'json:/' }, records);

/**
 * HTTP sinks send record values alone, to a URL such as `CAPTURE/${topic}/${key}`. Also any request of no
 * known transport.
 */
export const valueFormat: Format = {
  name: 'value',
  of: 'transport',
  kind: null,
  source: 'https://github.com/Aiven-Open/http-connector-for-apache-kafka',
  topicType: 'path:topic',
  topic: 'path:topic',
  key: 'path:key',
};
