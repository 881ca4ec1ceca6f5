import assert from 'node:assert/strict';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { useDatabase } from '../../support/database.ts';
import { type Carrier, carryByBridge, type Way } from './carry-by-bridge.ts';
import { createTopics, type KafkaRecord, type Message, produce, readTopic } from './kafka.ts';
import { explainMissing } from './package-managers.ts';
import { type Headers, type ReadRow, readRows, toHeaders } from './rows.ts';
import { replayAll, startProduct } from './start-product.ts';
import type { Program } from './start-program.ts';

/** Columns that say how a message failed, and those that the software does not preserve. */
export type Failure = Pick<ReadRow, 'kind' | 'class' | 'reason' | 'group' | 'attempts'> & Partial<ReadRow>;

export type KafkaSource = {
  /** The name of its recording. */
  readonly name: string;
  readonly topic: string;
  readonly deadLetterTopic: string;
  /**
   * Starts the software that fails, once its topics exist. Sources of one file may share it; it ends with the
   * file.
   */
  readonly start: () => Promise<Program>;
  readonly failures: readonly (readonly [message: Message, failure: Failure])[];
  /** Messages that other software produces; `failures` is empty then. */
  readonly produced?: {
    readonly count: number;
    readonly produce: () => Promise<unknown>;
    readonly failureOf: (record: KafkaRecord) => Failure;
  };
  /** Default: true. */
  readonly keepsHeaders?: boolean;
  /**
   * Where the messages are produced, if the software itself writes `topic`: a topic of dead letters that fail
   * again.
   */
  readonly firstTopic?: string;
  /** The way from the dead-letter topic to capture. Default: Strimzi's bridge. */
  readonly openCarrier?: (way: Way) => Promise<Carrier>;
  /** A record as it reaches capture, if the software or the way changes it. */
  readonly asCarried?: (record: KafkaRecord) => KafkaRecord;
  /** A sentence if something is missing. */
  readonly skip?: string | false;
};

/**
 * The whole loop of a source: messages are produced, the software fails, its dead letters reach capture, a
 * replay through Strimzi's bridge writes the records back, the software fails again, and the dead letters
 * return to their events.
 */
export function testKafkaSource(title: string, source: KafkaSource): void {
  const { name, topic, deadLetterTopic, failures, keepsHeaders = true, firstTopic = topic } = source;
  const { openCarrier = carryByBridge, asCarried = (record) => record } = source;
  const {
    count,
    produce: produceAll,
    failureOf,
  } = source.produced ?? {
    count: failures.length,
    produce: () =>
      produce(
        firstTopic,
        failures.map(([message]) => message),
      ),
    failureOf: (record: KafkaRecord) => findFailure(failures, record),
  };
  const hasBridge = process.env.BRIDGE !== undefined;
  const skip =
    source.skip ||
    explainMissing('maven', 'java21') ||
    (!hasBridge && "Skipped: STRIMZI_BRIDGE names no release of Strimzi's bridge (test/brokers/README.md).");

  describe(title, { skip }, () => {
    const database = useDatabase();
    const bridge = process.env.BRIDGE ?? '';
    let program: Program;
    let product: string;
    let carrier: Carrier;
    /** With the headers that must be preserved. */
    let produced: KafkaRecord[];
    let carried: readonly object[];
    let captured: ReadRow[];

    before(async () => {
      await createTopics([...new Set([firstTopic, topic, deadLetterTopic])], 3);
      await produceAll();
      program = await source.start();
      const records = (await readTopic(topic, count)).map(asCarried);
      produced = keepsHeaders ? records : records.map((record) => ({ ...record, headers: [] }));
      const target = { kind: 'kafka-rest', flavor: 'strimzi', url: bridge, topic };
      product = await startProduct(database().url, [{ match: {}, target, ordered: true }]);
      carrier = await openCarrier({ topic: deadLetterTopic, capture: `${product}/capture` });
      carried = await carrier.carry(count, program);
      captured = await readRows(database());
    });

    it('stores all of each dead letter', () => {
      assert.deepEqual(
        captured.map(({ headers, ...row }) => row),
        produced.map((record) => expectRow(record, failureOf(record))),
      );
      const names = produced.map((record) => Object.keys(toHeaders(record.headers)));
      const kept = captured.map(({ headers }, index) => pick(headers, names[index] ?? []));
      assert.deepEqual(
        kept,
        produced.map((record) => toHeaders(record.headers)),
      );
    });

    it('writes each record back as it was, in the order of its key', async () => {
      const sent = produced.filter(canBeWritten);
      const { delivered, failed } = await replayAll(product);
      assert.deepEqual({ delivered, failed }, { delivered: sent.length, failed: count - sent.length });
      const all = await readTopic(topic, count + sent.length);
      const isNew = (record: KafkaRecord) => !produced.some((old) => isSamePosition(old, record));
      assert.deepEqual(
        all.filter(isNew).sort(byKey).map(withoutRedelivery),
        sent.sort(byKey).map(asStrimziWrites),
      );
    });

    const again = keepsHeaders ? 'recognises' : 'stores as an event of its own';
    it(`${again} each record that fails again`, async () => {
      const sent = produced.filter(canBeWritten).length;
      await carrier.carry(sent, program);
      const rows = await database().sql('select failure_count, status from dlq_events');
      // A dead letter without headers has no dlo-event-id.
      assert.equal(rows.length, keepsHeaders ? count : count + sent);
      const failedAgain = rows.filter(({ failure_count }) => failure_count === 2);
      assert.equal(failedAgain.length, keepsHeaders ? sent : 0);
      assert.ok(failedAgain.every(({ status }) => status === 'PENDING'));
    });

    it('is recorded', (t) => {
      const file = path.join(import.meta.dirname, `../recorded/${name}.json`);
      t.assert.fileSnapshot(carried, file);
    });
  });
}

/** By the value, as the way to capture may change a key. */
function findFailure(failures: KafkaSource['failures'], { value }: KafkaRecord): Failure {
  const found = failures.find(
    ([message]) => message.value === value || (message.value && value?.equals(message.value)),
  );
  assert.ok(found);
  return found[1];
}

/** Strimzi's bridge writes no record without a value. */
function canBeWritten({ value }: KafkaRecord): boolean {
  return value !== null;
}

/** The columns of an event, from the record that failed. */
function expectRow(record: KafkaRecord, failure: Failure): Omit<ReadRow, 'headers'> {
  const { topic, partition, offset, key, value, timestamp } = record;
  const group = failure.group === null ? '' : `@${failure.group}`;
  return {
    eventKey: `kafka:${topic}/${partition}/${offset}${group}`,
    eventType: topic,
    topic,
    partition,
    offset,
    key: key?.toString('hex') ?? null,
    body: value?.toString('hex') ?? '',
    occurredAt: timestamp,
    ...failure,
  };
}

function isSamePosition(a: KafkaRecord, b: KafkaRecord): boolean {
  return a.partition === b.partition && a.offset === b.offset;
}

/**
 * Kafka keeps the order of a key: the sort is stable. Records without a key, which is not an empty key, may
 * come in any order.
 */
function byKey(a: KafkaRecord, b: KafkaRecord): number {
  const [first, second] = [a, b].map(({ key, value }) =>
    key === null ? `value ${value?.toString('hex')}` : `key ${key.toString('hex')}`,
  );
  return first === second ? 0 : (first ?? '') < (second ?? '') ? -1 : 1;
}

/** Partition, key, value and headers without those of the delivery. */
function withoutRedelivery({ partition, key, value, headers }: KafkaRecord) {
  const {
    'dlo-event-id': id,
    'dlo-attempt': attempt,
    'dlo-damaged': damaged,
    traceparent,
    ...others
  } = toHeaders(headers);
  assert.ok(id && attempt);
  assert.ok(damaged || !isDamaged(key));
  return describeSent({ partition, key, value, headers: others, traceparent });
}

/** Strimzi's bridge takes no header of zero bytes. */
function asStrimziWrites({ partition, key, value, headers }: KafkaRecord) {
  const written = headers.filter(([, bytes]) => bytes !== null && bytes.length > 0);
  const { traceparent, ...others } = toHeaders(written);
  return describeSent({ partition, key, value, headers: others, traceparent });
}

type Sent = Pick<KafkaRecord, 'partition' | 'key' | 'value'> & {
  readonly headers: Headers;
  readonly traceparent: readonly string[] | undefined;
};

/** Whether a bridge wrote U+FFFD for bytes of a key that are not UTF-8. */
const isDamaged = (key: Buffer | null) => key?.includes('\uFFFD') ?? false;

/**
 * A record without a key, or with another one, may be written to any partition. A trace continues with a new
 * span.
 */
function describeSent({ partition, key, value, headers, traceparent = [] }: Sent) {
  return {
    partition: isDamaged(key) ? null : key && partition,
    key,
    value,
    headers,
    traces: traceparent.map((hex) => Buffer.from(hex, 'hex').toString().slice(0, 35)),
  };
}

function pick<Value>(record: Readonly<Record<string, Value>>, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, record[name]]));
}
