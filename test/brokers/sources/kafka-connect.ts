import { type Failure, testKafkaSource } from '../support/kafka-loop.ts';
import { odd } from '../support/messages.ts';
import { type Connect, createConnector, deadLettersTo, startConnect } from '../support/start-connect.ts';

let connect: Promise<Connect> | undefined;

/** Creates a connector that reads `connect-NAME`. One worker runs all of them. */
async function start(name: string, config: Record<string, string>) {
  connect ??= startConnect();
  const worker = await connect;
  const sink = { 'connector.class': 'brokers.FailingSink', topics: `connect-${name}` };
  await createConnector(worker, name, { ...sink, ...deadLettersTo(`connect-${name}-dead`), ...config });
  return worker.program;
}

function failsWith(group: string, failureClass: string, message?: string): Failure {
  const reason = message === undefined ? failureClass : `${failureClass}: ${message}`;
  return { kind: 'kafka-connect', class: failureClass, reason, group: `connect-${group}`, attempts: null };
}

const at = '[Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: ';

function notJson(token: string): Failure {
  const expected = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
  const message = `Unrecognized token '${token}': was expecting ${expected}\n at ${at}1]`;
  return failsWith('converter', 'com.fasterxml.jackson.core.JsonParseException', message);
}

const unfinished = failsWith(
  'converter',
  'com.fasterxml.jackson.core.io.JsonEOFException',
  `Unexpected end-of-input: expected close marker for Object (start marker at ${at}1])\n at ${at}63]`,
);

testKafkaSource('Kafka Connect: a converter', {
  name: 'connect-converter',
  topic: 'connect-converter',
  deadLetterTopic: 'connect-converter-dead',
  start: () =>
    start('converter', {
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'value.converter.schemas.enable': 'false',
    }),
  failures: [
    [odd.headers, unfinished],
    [odd.second, notJson('second')],
    [odd.third, notJson('third')],
    [odd.bytes, notJson('ÿ聀ꨊ')],
    [odd.unreadable, notJson('x')],
  ],
});

const notStruct = failsWith(
  'transformation',
  'org.apache.kafka.connect.errors.DataException',
  'Only Struct objects supported for [field extraction], found: [B',
);

testKafkaSource('Kafka Connect: a transformation', {
  name: 'connect-transformation',
  topic: 'connect-transformation',
  deadLetterTopic: 'connect-transformation-dead',
  start: () =>
    start('transformation', {
      transforms: 'extract',
      'transforms.extract.type': 'org.apache.kafka.connect.transforms.ExtractField$Value',
      'transforms.extract.field': 'order',
    }),
  failures: [odd.headers, odd.second, odd.third, odd.bytes, odd.empty].map((each) => [each, notStruct]),
});

const dataException = failsWith(
  'task',
  'org.apache.kafka.connect.errors.DataException',
  '404: no such customer',
);

testKafkaSource('Kafka Connect: a task', {
  name: 'connect-task',
  topic: 'connect-task',
  deadLetterTopic: 'connect-task-dead',
  start: () => start('task', {}),
  failures: [
    ...[odd.headers, odd.second, odd.third, odd.bytes, odd.empty].map(
      (each) => [each, dataException] as const,
    ),
    [odd.tombstone, failsWith('task', 'java.lang.NullPointerException')],
  ],
});
