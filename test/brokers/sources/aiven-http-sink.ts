import type { Carrier, Way } from '../support/carry-by-bridge.ts';
import { hash } from '../support/fetch-packages.ts';
import { type Failure, testKafkaSource } from '../support/kafka-loop.ts';
import { odd } from '../support/messages.ts';
import { scrubJson } from '../support/recording.ts';
import { type Connect, createConnector, deadLettersTo, startConnect } from '../support/start-connect.ts';
import { type Program, waitFor } from '../support/start-program.ts';
import { startRecorder } from '../support/start-recorder.ts';

const { AIVEN_SINK } = process.env;
const text = 'org.apache.kafka.connect.storage.StringConverter';
const topic = 'aiven-orders';
let worker: Connect;

/** Aiven's sink posts the value of each dead letter, and nothing else of it (docs/capture.md). */
async function carryByAiven({ topic: deadLetterTopic, capture }: Way): Promise<Carrier> {
  const recorder = await startRecorder(`${capture}/${topic}`);
  await createConnector(worker, 'aiven', {
    'connector.class': 'io.aiven.kafka.connect.http.HttpSinkConnector',
    topics: deadLetterTopic,
    'http.url': recorder.url,
    'http.authorization.type': 'none',
    'http.headers.content.type': 'application/json',
    'batching.enabled': 'false',
    'key.converter': text,
    'value.converter': text,
  });
  let carried = 0;
  const carry = async (count: number, program: Program) => {
    await waitFor(`${count} values were posted`, () => recorder.posted.length >= carried + count, {
      program,
    });
    const posted = recorder.posted.slice(carried);
    carried += posted.length;
    return scrubJson(posted);
  };
  return { carry };
}

const orders = ['{"orderId": 4711, "total": 1.50, "note": "größer"}', '{"orderId": 4712}'].map((value) => ({
  ...odd.second,
  value: Buffer.from(value),
}));

/** Identity is the content: a value has no coordinates. */
const failure: Failure = {
  kind: 'unknown',
  class: null,
  reason: 'not reported',
  group: null,
  attempts: null,
  partition: null,
  offset: null,
  occurredAt: null,
};

testKafkaSource("Aiven's HTTP sink", {
  name: 'aiven-http-sink',
  topic,
  deadLetterTopic: `${topic}-dead`,
  skip: !AIVEN_SINK && "Skipped: AIVEN_SINK names no release of Aiven's sink (test/brokers/README.md).",
  start: async () => {
    worker = await startConnect({ plugins: AIVEN_SINK ?? '' });
    await createConnector(worker, topic, {
      'connector.class': 'brokers.FailingSink',
      topics: topic,
      ...deadLettersTo(`${topic}-dead`),
    });
    return worker.program;
  },
  openCarrier: carryByAiven,
  keepsHeaders: false,
  asCarried: (record) => ({ ...record, key: null }),
  failures: orders.map((order) => [
    order,
    { ...failure, eventKey: `sha256:${hash(order.value).slice(0, 24)}` },
  ]),
});
