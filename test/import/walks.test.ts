import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { before, beforeEach, describe, it } from 'node:test';
import { stop, waitForService } from '../local/service-actions.ts';
import { useServices } from '../local/service-process.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { subscriptionName, usePubSub } from '../support/pubsub/use-pubsub.ts';
import { useStrimziConsumer } from '../support/strimzi-consumer.ts';

const root = path.resolve(import.meta.dirname, '../..');
const blocks = [
  ...readFileSync(path.join(root, 'docs/bring-over.md'), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms),
].map(([, block = '']) => block);

/** The commands of docs/bring-over.md that contain a text. */
function findCommands(part: string): string {
  const found = blocks.find((block) => block.includes(part));
  assert.ok(found, `docs/bring-over.md has no commands with ${part}`);
  return found;
}

const order = '{"orderId": 4711, "price": 1.10}';

describe('the commands of docs/bring-over.md, from nothing to a replayed event:', () => {
  const database = useDatabase();
  const other = useDatabase();
  const target = useHttpTarget();
  const pubsub = usePubSub();
  const strimzi = useStrimziConsumer();
  const { startService } = useServices();
  let url = '';
  let folder = '';
  before(async () => {
    folder = mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'walks-'));
    // npm takes a second to start a script.
    writeProgram(
      'npm',
      `[ "$1" = run ] && [ "$3" = -- ] && exec '${process.execPath}' '${root}'/import/run-"$2".ts "\${@:4}"`,
    );
    const service = startService({
      DATABASE_URL: database().url,
      RETRY_EVERY_SECONDS: '0',
      ROUTES: JSON.stringify([{ target: { kind: 'http', url: target().url } }]),
    });
    url = (await waitForService(service)).url;
    return () => stop(service);
  });
  beforeEach(async () => {
    await database().sql('truncate dlq_events');
    await other().sql('truncate dlq_events');
  });

  /** A program that the commands call, and that a machine may lack. */
  const writeProgram = (name: string, script: string, interpreter = '/usr/bin/env bash') => {
    writeFileSync(path.join(folder, name), `#!${interpreter}\n${script}\n`);
    chmodSync(path.join(folder, name), 0o755);
  };
  const run = async (commands: string, env: Record<string, string> = {}) => {
    const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: folder,
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        CAPTURE: `${url}/capture`,
        METADATA_SERVER_DETECTION: 'none',
        ...env,
      },
    });
    const [stderr, [status]] = await Promise.all([
      text(child.stderr),
      once(child, 'exit'),
      text(child.stdout),
    ]);
    assert.deepEqual([status, stderr], [0, '']);
  };
  /** Replays the only event, by the documented command, and returns what its target received. */
  const replay = async () => {
    const events = await database().sql<{ id: string }>('select id from dlq_events');
    assert.equal(events.length, 1);
    const command = findCommands('/replay').replace('[1]', `[${events[0]?.id}]`);
    await run(command.replace('curl ', 'curl -sSf '));
    const [received, ...more] = target().received;
    assert.equal(more.length, 0);
    const [event] = await database().sql<Record<string, unknown>>('select * from dlq_events');
    assert.equal(event?.status, 'SUCCEEDED');
    return { body: `${received?.body}`, event };
  };

  it('a Pub/Sub subscription', async () => {
    const { client, standIn } = pubsub();
    const [topic] = await client.createTopic('orders-dead');
    await topic.createSubscription('orders-dead-pull');
    const CloudPubSubDeadLetterSourceSubscription = 'orders-billing';
    await topic.publishMessage({
      data: Buffer.from(order),
      attributes: { CloudPubSubDeadLetterSourceSubscription, event_type: 'order.created' },
    });
    const command = findCommands('npm run drain')
      .replace('projects/shop/subscriptions/orders-dead-pull', subscriptionName('orders-dead-pull'))
      .replace('npm run drain --', 'npm run drain -- --idle-seconds 0');
    await run(command, { PUBSUB_EMULATOR_HOST: standIn.host });
    const { body, event } = await replay();
    assert.deepEqual(
      [body, event?.event_type, event?.source_subscription],
      [order, 'order.created', 'orders-billing'],
    );
  });

  it('a Kafka topic, by kcat', async () => {
    const record = {
      ...{ topic: 'orders-dlq', partition: 0, offset: 7, tstype: 'create', ts: 1772358000000, broker: 1 },
      headers: ['__connect.errors.topic', 'orders', '__connect.errors.exception.message', 'no such field'],
      ...{ key: 'customer-7', payload: order },
    };
    writeFileSync(path.join(folder, 'records.ndjson'), `${JSON.stringify(record)}\n`);
    writeProgram('kcat', 'cat records.ndjson');
    await run(findCommands('-e -q -J'));
    const { body, event } = await replay();
    assert.deepEqual([body, event?.source_topic, event?.error_reason], [order, 'orders', 'no such field']);
  });

  it('a single Kafka record, with its facts as headers', async () => {
    writeProgram('kcat', `printf '%s' '${order}'`);
    await run(findCommands('dlo-event-type'));
    const { body, event } = await replay();
    assert.deepEqual([body, event?.event_key], [order, 'id:evt-01J9ZK3V@billing']);
    assert.deepEqual([event?.source_topic, event?.source_key], ['orders', 'customer-7']);
    assert.deepEqual([event?.error_class, event?.error_reason], ['PaymentDown', '503 from payments']);
  });

  it('a Kafka topic, by a bridge', async () => {
    const base64 = (value: string) => Buffer.from(value).toString('base64');
    strimzi().records.push({
      ...{ topic: 'orders-dlq', partition: 0, offset: 7, timestamp: 1772358000000 },
      headers: [{ key: '__connect.errors.exception.message', value: base64('no such field') }],
      ...{ key: base64('customer-7'), value: base64(order) },
    });
    await run(findCommands('/instances/one').replace('http://BRIDGE:8080', strimzi().url));
    assert.equal(strimzi().committed, 1);
    const { body, event } = await replay();
    assert.deepEqual([body, event?.source_key, event?.error_reason], [order, 'customer-7', 'no such field']);
  });

  it('newline-delimited JSON', async () => {
    writeFileSync(
      path.join(folder, 'failures.ndjson'),
      `{"eventType": "order.created", "payload": ${order}, "error": "timeout"}\n`,
    );
    await run(findCommands('failures.ndjson'));
    const { body, event } = await replay();
    assert.deepEqual([body, event?.event_type, event?.error_reason], [order, 'order.created', 'timeout']);
  });

  it('the dead-letter table of a Dataflow template', async () => {
    const row = {
      ...{ timestamp: '2026-03-01 09:40:00.123456', payloadString: order, errorMessage: 'no such field' },
      payloadBytes: Buffer.from(order).toString('base64'),
      attributes: [
        { key: 'eventType', value: 'order.created' },
        { key: 'event_id', value: 'evt-1' },
      ],
      stacktrace: 'java.lang.RuntimeException: no such field\n',
    };
    writeFileSync(path.join(folder, 'rows.json'), JSON.stringify([row]));
    writeProgram('bq', 'cat rows.json');
    const jq = `JSON.parse(require('fs').readFileSync(0)).map((row) => console.log(JSON.stringify(row)))`;
    writeProgram('jq', jq, process.execPath);
    await run(findCommands('bq query'));
    const { body, event } = await replay();
    assert.deepEqual([body, event?.event_type, event?.event_id], [order, 'order.created', 'evt-1']);
    assert.deepEqual([event?.error_reason, event?.error_stacktrace], [row.errorMessage, row.stacktrace]);
    assert.deepEqual(event?.occurred_at, new Date('2026-03-01T09:40:00.123Z'));
  });

  it('another deployment', async () => {
    await anEvent(other(), {
      event_id: 'evt-1',
      event_key: 'id:evt-1',
      body: Buffer.from(order),
      payload: order,
    });
    await anEvent(other(), { status: 'SUCCEEDED' });
    writeProgram(
      'psql',
      `const { Client } = require('${root}/node_modules/pg');
       const db = new Client(process.argv[2]);
       const print = ({ rows }) => rows.map((row) => console.log(JSON.stringify(row.jsonb_build_object)));
       db.connect().then(() => db.query(process.argv.at(-1))).then(print).then(() => db.end());`,
      process.execPath,
    );
    await run(findCommands('psql'), { OTHER_DATABASE_URL: other().url });
    const { body, event } = await replay();
    assert.deepEqual([body, event?.event_key, event?.error_reason], [order, 'id:evt-1', 'timeout']);
  });
});
