import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { after } from 'node:test';
import { Client } from 'pg';
import { softwareFolder } from '../support/cache.ts';
import { type Failure, testKafkaSource } from '../support/kafka-loop.ts';
import { testQueueSource } from '../support/queue-loop.ts';
import { createConnector, deadLettersTo, startConnect } from '../support/start-connect.ts';
import { startDebezium } from '../support/start-debezium.ts';
import { startLogicalPostgres } from '../support/start-logical-postgres.ts';
import { isListening, type Program, startProgram, waitFor } from '../support/start-program.ts';

let postgres: Awaited<ReturnType<typeof startLogicalPostgres>> | undefined;
/** The server of one test would post the changes of the next one, too. */
let running: Program | undefined;
after(() => postgres?.stop());

const createOrders = `create table if not exists orders (id int primary key, total numeric(8, 2), note text, raw bytea);
  alter table orders replica identity full`;

/**
 * An order is inserted, changed and deleted; the tombstone that follows has no value, and is not sent over
 * HTTP.
 */
const changes = [
  String.raw`insert into orders values (4711, 1.50, 'größer – 注文', '\x00ff')`,
  'update orders set total = 2.50, note = null',
  'delete from orders',
];

/** Starts the server, named by its slot, and changes an order. */
async function changeOrder(name: string, settings: Readonly<Record<string, string>>): Promise<Program> {
  postgres ??= await startLogicalPostgres();
  await running?.stop();
  const client = new Client(postgres.url);
  await client.connect();
  await client.query(createOrders);
  running = await startDebezium(postgres.url, name, settings);
  for (const change of changes) await client.query(change);
  await client.end();
  return running;
}

type Place = { readonly capture: string; readonly replayPort: number };

/** Starts the application that fails, and the server, which posts the changes to it. */
async function post(format: string, settings: Readonly<Record<string, string>>, place: Place) {
  const env = { CAPTURE: place.capture, REPLAY_PORT: `${place.replayPort}` };
  const receiver = path.join(softwareFolder, 'debezium/failing-receiver.js');
  const application = startProgram([process.execPath, receiver], { env });
  await waitFor('the application listened', () => isListening(place.replayPort), { program: application });
  return changeOrder(format, {
    'debezium.sink.type': 'http',
    'debezium.sink.http.url': `http://127.0.0.1:${place.replayPort}/orders`,
    'debezium.format.value': format,
    ...settings,
  });
}

/** JSON with its schema, in base64. The id of the run differs in each. */
const wrapped = (payload: string) =>
  Buffer.from(JSON.stringify({ schema: { type: 'string', optional: false }, payload })).toString('base64');
const context = {
  'x-debezium-__debezium.context.connectorlogicalname': wrapped('shop'),
  'x-debezium-__debezium.context.connectorname': wrapped('postgresql'),
  'x-debezium-__debezium.context.taskid': wrapped('0'),
};

const order = (total: string, note: string | null) => ({ id: 4711, total, note, raw: 'AP8=' });
const inserted = order('AJY=', 'größer – 注文');
const updated = order('APo=', null);

/** As scrubbed: times, positions and numbers of transactions differ in each run. */
const source =
  '"source":{"version":"3.6.0.Final","connector":"postgresql","name":"shop","ts_ms":now,"snapshot":"false",' +
  '"db":"postgres","sequence":"any","ts_us":now,"ts_ns":now,"schema":"public","table":"orders","txId":"any",' +
  '"lsn":"any","xmin":null,"origin":null,"origin_lsn":null}';
const times = '"ts_ms":now,"ts_us":now,"ts_ns":now';

const row = (op: string, before: object | null, after: object | null) => ({
  eventKey: 'sha256:DIGEST@warehouse',
  type: 'shop.public.orders',
  id: null,
  kind: 'debezium',
  topic: 'shop.public.orders',
  queue: null,
  key: null,
  reason: 'warehouse knows no such order',
  class: 'TypeError',
  hasStack: false,
  attempts: null,
  contentType: 'application/json',
  body: `{"before":${JSON.stringify(before)},"after":${JSON.stringify(after)},${source},"transaction":null,"op":"${op}",${times}}`,
  headers: context,
});

testQueueSource('Debezium Server: change events', {
  name: 'debezium-json',
  needs: ['java21', 'maven'],
  start: (place) => post('json', { 'debezium.format.value.schemas.enable': 'false' }, place),
  describe,
  paths: { 'shop.public.orders': 'orders' },
  rows: [row('c', null, inserted), row('u', inserted, updated), row('d', updated, null)],
  readMessage: (failed) => failed,
});

const attributes = {
  specversion: '1.0',
  id: 'name:shop;POSITION',
  source: '/debezium/postgresql/shop',
  type: 'io.debezium.connector.postgresql.DataChangeEvent',
  time: 'now',
  iodebeziumconnector: 'postgresql',
  iodebeziumdb: 'postgres',
  iodebeziumname: 'shop',
  iodebeziumschema: 'public',
  iodebeziumsnapshot: 'false',
  iodebeziumtable: 'orders',
  iodebeziumtsms: 'now',
  iodebeziumtsns: 'now',
  iodebeziumtsus: 'now',
  iodebeziumversion: '3.6.0.Final',
};

const cloudEvent = (op: string, before: object | null, after: object | null) => ({
  ...row(op, before, after),
  eventKey: 'ce:/debezium/postgresql/shop#name:shop;POSITION@warehouse',
  type: attributes.type,
  id: attributes.id,
  kind: 'cloudevents',
  topic: attributes.source,
  body: JSON.stringify({ before, after }),
  headers: {
    ...context,
    ...Object.fromEntries(
      Object.entries({ ...attributes, iodebeziumop: op }).map(([name, value]) => [`ce-${name}`, value]),
    ),
  },
});

testQueueSource('Debezium Server: CloudEvents', {
  name: 'debezium-cloudevents',
  needs: ['java21', 'maven'],
  start: (place) => post('cloudevents', { 'debezium.format.value.json.schemas.enable': 'false' }, place),
  describe: describeCloudEvent,
  paths: { [attributes.type]: 'orders' },
  rows: [cloudEvent('c', null, inserted), cloudEvent('u', inserted, updated), cloudEvent('d', updated, null)],
  readMessage: (failed) => failed,
});

const text = 'org.apache.kafka.common.serialization.StringSerializer';

const failure = (errorClass: string, message?: string): Failure => ({
  kind: 'kafka-connect',
  class: errorClass,
  reason: message === undefined ? errorClass : `${errorClass}: ${message}`,
  group: 'connect-warehouse',
  attempts: null,
});

testKafkaSource('Debezium Server: records with keys and a tombstone, whose sink fails in Kafka Connect', {
  name: 'debezium-kafka',
  topic: 'shop.public.orders',
  deadLetterTopic: 'shop-dead',
  failures: [],
  produced: {
    count: changes.length + 1,
    produce: () =>
      changeOrder('kafka', {
        'debezium.sink.type': 'kafka',
        'debezium.sink.kafka.producer.bootstrap.servers': process.env.BOOTSTRAP ?? '',
        'debezium.sink.kafka.producer.key.serializer': text,
        'debezium.sink.kafka.producer.value.serializer': text,
      }),
    failureOf: ({ value }) =>
      value === null
        ? failure('java.lang.NullPointerException')
        : failure('org.apache.kafka.connect.errors.DataException', '404: no such customer'),
  },
  start: async () => {
    const worker = await startConnect();
    const sink = { 'connector.class': 'brokers.FailingSink', topics: 'shop.public.orders' };
    await createConnector(worker, 'warehouse', { ...sink, ...deadLettersTo('shop-dead') });
    return worker.program;
  },
});

/** The message, as JSON and by the digest of its bytes, and the headers of Debezium. */
function describe(headers: IncomingHttpHeaders, body: Buffer) {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x-debezium-'));
  const decoded = own.map(([name, value]) => [name, Buffer.from(`${value}`, 'base64').toString()]);
  return [{ headers: Object.fromEntries(decoded.sort()), ...describeContent(body.toString()) }];
}

/**
 * A CloudEvent is sent in structured mode, and again in binary mode, whose names are in lower case and never
 * null.
 */
function describeCloudEvent(headers: IncomingHttpHeaders, body: Buffer) {
  const isStructured = headers['content-type'] === 'application/cloudevents+json';
  const { data, ...own } = isStructured ? JSON.parse(body.toString()) : readBinary(headers);
  const known = Object.entries<string | null>(own).filter(([, value]) => value !== null);
  const named = known.map(([name, value]) => [name.toLowerCase(), value]).sort();
  const content = isStructured ? JSON.stringify(data) : body.toString();
  return [{ attributes: Object.fromEntries(named), ...describeContent(content) }];
}

function readBinary(headers: IncomingHttpHeaders): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('ce-'));
  const decoded = own.map(([name, value]) => [name.slice('ce-'.length), decodeURIComponent(`${value}`)]);
  return { ...Object.fromEntries(decoded), datacontenttype: headers['content-type'] };
}

function describeContent(text: string) {
  return { body: JSON.parse(text), digest: `sha256:${createHash('sha256').update(text).digest('hex')}` };
}
