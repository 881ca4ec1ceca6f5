import { mavenFolder } from '../support/cache.ts';
import { carryByPush, type PubSubWay } from '../support/carry-by-pubsub.ts';
import type { KafkaRecord } from '../support/kafka.ts';
import { type Failure, testKafkaSource } from '../support/kafka-loop.ts';
import { odd } from '../support/messages.ts';
import { openTlsDoor } from '../support/open-tls-door.ts';
import { createConnector, deadLettersTo, startConnect } from '../support/start-connect.ts';
import { emulatorIsMissing, startEmulator } from '../support/start-emulator.ts';

const failureClass = 'org.apache.kafka.connect.errors.DataException';

function failsWith(topic: string, message: string): Failure {
  const reason = `${failureClass}: ${message}`;
  return { kind: 'kafka-connect', class: failureClass, reason, group: topic, attempts: null };
}

/**
 * Bytes that are no UTF-8 are lost, and zero in a key, which is no text in PostgreSQL. Of repeated headers
 * the last arrives; those without a value are dropped.
 */
function asText(record: KafkaRecord): KafkaRecord {
  const toText = (bytes: Buffer) => Buffer.from(bytes.toString('utf8'));
  const headers = new Map(record.headers.flatMap(([name, bytes]) => (bytes ? [[name, toText(bytes)]] : [])));
  return {
    ...record,
    key: record.key && Buffer.from(record.key.toString('utf8').replaceAll('\0', '\uFFFD')),
    headers: [...headers],
  };
}

const topic = 'connect-pubsub-push';
let pubsub: Pick<PubSubWay, 'host' | 'door' | 'worker'>;

/**
 * A worker with a sink whose transformation fails, and Google's connector, which publishes its dead letters.
 */
testKafkaSource("Google's connector into Pub/Sub, pushed by Google's emulator", {
  name: 'pubsub-push',
  skip: emulatorIsMissing,
  topic,
  deadLetterTopic: `${topic}-dead`,
  start: async () => {
    const host = await startEmulator();
    const door = await openTlsDoor(Number(host.split(':')[1]));
    const worker = await startConnect({ plugins: `${mavenFolder}/pubsub-connector`, env: door.env });
    pubsub = { host, door, worker };
    await createConnector(worker, 'pubsub-push', {
      'connector.class': 'brokers.FailingSink',
      topics: topic,
      ...deadLettersTo(`${topic}-dead`),
      transforms: 'extract',
      'transforms.extract.type': 'org.apache.kafka.connect.transforms.ExtractField$Value',
      'transforms.extract.field': 'order',
    });
    return worker.program;
  },
  openCarrier: (way) => carryByPush({ ...way, ...pubsub }),
  asCarried: asText,
  failures: [
    ...[odd.headers, odd.second, odd.third, odd.bytes, odd.unreadable].map(
      (each) =>
        [each, failsWith(topic, 'Only Struct objects supported for [field extraction], found: [B')] as const,
    ),
    [odd.tombstone, failsWith(topic, 'Cannot look up fields on non-struct type')],
  ],
});
