import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Inbound } from '../../../../shared/capture/message.ts';
import { readCaptures } from '../../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../../shared/capture/store-captures.ts';
import { queryRows } from '../../../../shared/database/statement.ts';
import type { LeasedEvent } from '../../../../shared/delivery/leased-event.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { useDatabase } from '../../../support/database.ts';
import type { Fixture } from '../../../support/envelopes.ts';
import { useKafkaBridge, type WrittenRecord } from '../../../support/kafka-bridge.ts';
import { aKafkaRestDelivery } from '../../../support/kafka-rest-delivery.ts';
import { redelivery } from '../../../support/redelivery.ts';
import { tries } from '../../../support/sample.ts';
import { send } from '../../../support/send.ts';
import { readBodies } from '../../../support/stored-bodies.ts';

type ConsumerRecord = {
  readonly key: string | null;
  readonly value: unknown;
  readonly headers?: readonly { readonly key: string; readonly value: string | null }[];
};

const folder = path.resolve(import.meta.dirname, '../../../fixtures/envelopes');
const readFixture = (name: string): Fixture =>
  JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8'));

const toRequest = (headers: Inbound['headers'], body: unknown): Inbound => ({
  path: '/',
  query: new URLSearchParams(),
  headers,
  body: Buffer.from(JSON.stringify(body)),
});
const requestOf = ({ http }: Fixture) => toRequest(http.headers, http.body);

/** The record from a dead-letter topic, in the binary form of a bridge. */
const consume = ({ key, value, headers }: WrittenRecord) =>
  toRequest({ 'content-type': 'application/vnd.kafka.binary.v2+json' }, [
    {
      topic: 'orders-dlt',
      partition: 0,
      offset: 17,
      key: key?.toString('base64') ?? null,
      value: value?.toString('base64') ?? null,
      headers: headers.map(([name, bytes]) => ({ key: name, value: bytes.toString('base64') })),
    },
  ]);

/** Lists the headers of a record for comparison, except ours and our span: those of one name keep their order. */
const listHeaders = (headers: WrittenRecord['headers'] = []) =>
  headers
    .filter(([name]) => !name.startsWith('dlo-'))
    .map(([name, bytes]) => ({ name, value: bytes.toString('latin1') }))
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(({ name, value }) => `${name}: ${name === 'traceparent' ? value.slice(0, 35) : value}`);

describe('a captured and redelivered Kafka record', () => {
  const database = useDatabase();
  const bridge = useKafkaBridge('confluent-v3');
  beforeEach(() => database().clear());

  const capture = async (request: Inbound): Promise<LeasedEvent[]> => {
    const stored = await storeCaptures({ db: database().db, repeatSeconds: 600 }, readCaptures(request));
    const ids = stored.map(({ id }) => id);
    const text = `select *, id::text, ${redelivery} as redelivery, metadata -> 'damaged' as damaged
      from dlq_events where id = any($1) order by source_offset`;
    return queryRows<LeasedEvent>(database().db, { text, values: [ids] });
  };
  const redeliver = async (request: Inbound) => {
    for (const event of await capture(request)) {
      const [body = Buffer.alloc(0)] = await readBodies(database(), [event.id]);
      await send(aKafkaRestDelivery('confluent-v3', bridge().url, { event, body }));
    }
    const [first, second] = bridge().records;
    assert.ok(first);
    return { first, second };
  };

  for (const [name, kept] of Object.entries<readonly string[]>({
    '18-kafka-connect-dlq-consumer-record': [],
    '19-spring-kafka-dlt-binary-headers': ['__TypeId__'],
    '27-smallrye-quarkus-dlq': ['ce_type'],
    '51-spring-kafka-dlt-multi-hop': [],
    '60-karafka-dlq': ['origin'],
    '61-wolverine-dlq': ['message-type', 'content-type'],
    '62-cloudevents-kafka-binding-consumer-record': [
      ...['specversion', 'id', 'source', 'type', 'time', 'traceparent'].map((attribute) => `ce_${attribute}`),
      'content-type',
    ],
    '64-debezium-outbox-connect-dlq': ['id', 'eventType'],
    '65-kafka-consumer-record-odd-headers': [
      ...['origin', 'empty', 'latin1', 'nul', 'retry', 'constructor', '__proto__', 'id'],
    ],
    '69-kafka-connect-dlq-multi-hop': [],
    '77-kafka-connect-dlq-without-context-headers': ['traceparent', 'event_type'],
    '204-recorded-connect-binary-key': ['schema-id', 'count'],
    '216-recorded-spring-listener-exception': ['traceparent', '__TypeId__', 'tenant', 'bin'],
    '220-recorded-spring-key-deserialization': [],
    '221-recorded-spring-retry-topic': ['traceparent'],
    '222-recorded-spring-cloud-stream': ['traceparent', 'tenant', 'bin'],
    '223-recorded-streams-deserialization': ['traceparent', 'tenant', 'bin'],
    '225-recorded-smallrye-dead-letter-queue': ['traceparent', 'tenant', 'bin'],
    '227-recorded-smallrye-delayed-retry': ['tenant'],
    '229-recorded-share-group-rejected-copied': [],
  })) {
    it(`keeps its key, bytes and headers: ${name.replace(/^\d+-/, '')}`, async () => {
      const fixture = readFixture(name);
      const [{ key, value, headers = [] }] = fixture.http.body as [ConsumerRecord];
      const { first } = await redeliver(requestOf(fixture));

      const original = headers
        .filter((header) => kept.includes(header.key))
        .map((header) => [header.key, Buffer.from(header.value ?? '', 'base64')] as const);
      // A traceparent may be added to them.
      const restored = first.headers.filter(([name]) => name !== 'traceparent' || kept.includes(name));
      assert.deepEqual(listHeaders(restored), listHeaders(original));
      const isBinary = /binary/.test(fixture.http.headers['content-type'] ?? '');
      assert.equal(first.key?.toString(isBinary ? 'base64' : 'utf8'), key);
      const sent = first.value?.toString(isBinary ? 'base64' : 'utf8') ?? null;
      assert.equal(sent, isBinary || value === null ? value : JSON.stringify(value));
    });
  }

  it('keeps the bytes of the binary form', async () => {
    const { first } = await redeliver(requestOf(readFixture('63-kafka-consumer-record-binary')));

    assert.equal(first.value?.toString('base64'), 'AAAAAAH/gBA=');
    assert.equal(first.key?.toString(), 'cust-77');
    assert.deepEqual(listHeaders(first.headers), ['origin: checkout', 'schema: \0\0\0\x01\x9f']);
  });

  it('keeps a binary, empty or missing key', async () => {
    const bytes = fc.uint8Array({ maxLength: 5000, size: 'max' });
    const text = fc.string({ unit: anyCharacter, maxLength: 3000 }).map((string) => Buffer.from(string));
    const known = fc
      .constantFrom('', '\0', 'null', '[B@5e91993f', 'wP8=')
      .map((string) => Buffer.from(string));
    const property = fc.asyncProperty(fc.oneof(bytes, text, known, fc.constant(null)), async (array) => {
      const key = array && Buffer.from(array);
      await database().clear('dlq_events');
      bridge().records.length = 0;
      const { first } = await redeliver(consume({ path: '', key, value: Buffer.from('{}'), headers: [] }));
      assert.deepEqual(first.key, key);
    });
    await fc.assert(property, { numRuns: tries(100) });
  });

  it('keeps the key of the Pub/Sub sink connector, and sends no key header', async () => {
    const attributes = {
      key: 'cust\0',
      'kafka.topic': 'orders',
      'kafka.partition': '3',
      'kafka.offset': '17',
    };
    const message = { data: 'e30=', attributes, messageId: '1' };
    const push = { message, subscription: 'projects/p/subscriptions/s' };
    const { first } = await redeliver(toRequest({ 'content-type': 'application/json' }, push));

    assert.equal(first.key?.toString(), 'cust\0');
    assert.deepEqual(listHeaders(first.headers), []);
  });

  it('keeps the exact key that a consumer reported', async () => {
    const report = {
      eventType: 'order',
      eventId: '1',
      payload: 1,
      error: 'e',
      source: { keyBase64: 'AP8=' },
    };
    const { first } = await redeliver(toRequest({ 'content-type': 'application/json' }, report));

    assert.equal(first.key?.toString('base64'), 'AP8=');
  });

  it('omits the attributes that the Pub/Sub sink connector added', async () => {
    const { http } = readFixture('213-recorded-google-sink-spring');
    const push = JSON.parse(String(http.body)) as { message: { data: string } };
    const { first } = await redeliver(toRequest(http.headers, push));

    assert.deepEqual(
      first.headers
        .map(([name]) => name)
        .filter((name) => !name.startsWith('dlo-'))
        .sort(),
      ['__TypeId__', 'bin', 'tenant', 'traceparent'],
    );
    assert.equal(first.key?.toString(), 'cust-1');
    assert.equal(first.value?.toString('base64'), push.message.data);
  });

  it('is a CloudEvent in structured mode if it was one, with its own headers', async () => {
    const fixture = readFixture('78-cloudevents-kafka-binding-structured');
    const { first } = await redeliver(requestOf(fixture));

    const [{ value }] = fixture.http.body as [{ value: object }];
    assert.equal(first.value?.toString(), JSON.stringify(value));
    assert.deepEqual(
      listHeaders(first.headers).filter((header) => !/^(dlo|traceparent)/.test(header)),
      ['content-type: application/cloudevents+json; charset=UTF-8', 'origin: checkout'],
    );
  });

  it('is the same event when it fails again', async () => {
    const failed = requestOf(readFixture('60-karafka-dlq'));
    const [event] = await capture(failed);
    const { first } = await redeliver(failed);

    const [again] = await capture(consume(first));
    assert.equal(again?.id, event?.id);
  });
});
