import { after } from 'node:test';
import { type PubSubStandIn, startPubSub } from '../../support/pubsub/start-pubsub.ts';
import { mavenFolder } from '../support/cache.ts';
import { carryByDrain, carryByPush, type PubSubWay } from '../support/carry-by-pubsub.ts';
import type { KafkaRecord } from '../support/kafka.ts';
import { type Failure, type KafkaSource, testKafkaSource } from '../support/kafka-loop.ts';
import { odd } from '../support/messages.ts';
import { openTlsDoor } from '../support/open-tls-door.ts';
import { createConnector, deadLettersTo, startConnect } from '../support/start-connect.ts';
import { emulatorIsMissing, startEmulator } from '../support/start-emulator.ts';
import type { Program } from '../support/start-program.ts';

/** One at a time: each takes about 500 MB. */
let running: Program | undefined;

const failureClass = 'org.apache.kafka.connect.errors.DataException';

function failsWith(topic: string, message: string): Failure {
  const reason = `${failureClass}: ${message}`;
  return { kind: 'kafka-connect', class: failureClass, reason, group: topic, attempts: null };
}

/** Bytes that are no UTF-8 are lost, and zero in a key, which is no text in PostgreSQL. Of repeated headers the last arrives; those without a value are dropped. */
function asText(record: KafkaRecord): KafkaRecord {
  const toText = (bytes: Buffer) => Buffer.from(bytes.toString('utf8'));
  const headers = new Map(record.headers.flatMap(([name, bytes]) => (bytes ? [[name, toText(bytes)]] : [])));
  return {
    ...record,
    key: record.key && Buffer.from(record.key.toString('utf8').replaceAll('\0', '\uFFFD')),
    headers: [...headers],
  };
}

/** A worker with a sink whose transformation fails, and Google's connector, which publishes its dead letters. */
function source(
  name: string,
  host: () => Promise<string>,
  carry: (way: PubSubWay) => ReturnType<typeof carryByDrain>,
) {
  let pubsub: Pick<PubSubWay, 'host' | 'door' | 'worker'>;
  const topic = `connect-${name}`;
  const loop: KafkaSource = {
    name,
    topic,
    deadLetterTopic: `${topic}-dead`,
    start: async () => {
      const address = await host();
      const door = await openTlsDoor(Number(address.split(':')[1]));
      const plugins = `${mavenFolder}/pubsub-connector`;
      await running?.stop();
      const worker = await startConnect({ plugins, env: door.env });
      running = worker.program;
      pubsub = { host: address, door, worker };
      await createConnector(worker, name, {
        'connector.class': 'brokers.FailingSink',
        topics: topic,
        ...deadLettersTo(`${topic}-dead`),
        transforms: 'extract',
        'transforms.extract.type': 'org.apache.kafka.connect.transforms.ExtractField$Value',
        'transforms.extract.field': 'order',
      });
      return worker.program;
    },
    openCarrier: (way) => carry({ ...way, ...pubsub }),
    asCarried: asText,
    failures: [
      ...[odd.headers, odd.second, odd.third, odd.bytes, odd.unreadable].map(
        (each) =>
          [
            each,
            failsWith(topic, 'Only Struct objects supported for [field extraction], found: [B'),
          ] as const,
      ),
      [odd.tombstone, failsWith(topic, 'Cannot look up fields on non-struct type')],
    ],
  };
  return loop;
}

let standIn: PubSubStandIn;
// Its server would keep the process alive.
after(() => standIn?.stop());

const startStandIn = async () => {
  standIn = await startPubSub();
  return standIn.host;
};

testKafkaSource(
  "Google's connector into Pub/Sub, drained",
  source('pubsub-drain', startStandIn, (way) => carryByDrain({ ...way, standIn })),
);

testKafkaSource("Google's connector into Pub/Sub, pushed by Google's emulator", {
  ...source('pubsub-push', startEmulator, carryByPush),
  skip: emulatorIsMissing,
});
