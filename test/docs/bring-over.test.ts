import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { useCapture } from '../support/capture.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { useRabbitQueue } from '../support/rabbit-queue.ts';
import { lacks, useShell } from '../support/shell.ts';
import { useStrimziConsumer } from '../support/strimzi-consumer.ts';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/bring-over.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);

/** The block of the page that has a text. */
function findBlock(part: string): string {
  const found = blocks.find((block) => block.includes(part));
  assert.ok(found, `docs/bring-over.md has no commands with ${part}`);
  return found;
}

const order = '{"orderId": 4711, "price": 1.10}';
const postLines = findBlock('split -a 4');

describe('the commands of docs/bring-over.md capture', { skip: lacks('bash', 'curl', 'split') }, () => {
  const database = useDatabase();
  const other = useDatabase();
  const capture = useCapture(database);
  const strimzi = useStrimziConsumer();
  const rabbit = useRabbitQueue();
  const shell = useShell(() => ({
    CAPTURE: capture().url,
    BROKER: 'kafka:9092',
    DATABASE_URL: database().url,
    OTHER_DATABASE_URL: other().url,
  }));
  const { run, write, writeProgram } = shell;
  beforeEach(() => database().clear());

  const readEvents = () =>
    database().sql<
      Record<string, unknown>
    >(`select *, convert_from(coalesce(body, payload::text::bytea), 'UTF8') as message
      from dlq_events order by id`);
  const onlyEvent = async () => {
    const [event, ...more] = await readEvents();
    assert.ok(event && more.length === 0, `${more.length + 1} events`);
    return event;
  };

  it('each line of a file once, in parts that are posted again from the one that failed', async () => {
    const lines = Array.from(
      { length: 1200 },
      (_, n) => `{"eventType": "order.created", "payload": {"n": ${n}}, "error": "timeout"}`,
    );
    write('failures.ndjson', `${lines.join('\n')}\n`);
    writeProgram('curl', `case "$*" in *part-aaab*) exit 22 ;; esac\nPATH=\${PATH#*:} exec curl "$@"`);
    await run(postLines);
    assert.equal((await readEvents()).length, 500);

    shell.remove('curl');
    await run(postLines.replace(/^split.*\n/, ''));
    const events = await readEvents();
    assert.deepEqual(
      events.map(({ payload }) => (payload as { n: number }).n),
      lines.map((_, n) => n),
    );
    assert.deepEqual(shell.list('part-*'), []);
  });

  it('nothing more if the same file is posted again after its events were delivered', async () => {
    write(
      'failures.ndjson',
      `{"eventType": "order.created", "payload": ${order}, "error": "timeout"}\n${order}\n`,
    );
    await run(postLines);
    await database().sql(`update dlq_events set status = 'SUCCEEDED'`);
    const before = await readEvents();
    await run(postLines);
    assert.deepEqual(await readEvents(), before);
    assert.equal(before.length, 2);
  });

  it('the messages of a Pub/Sub subscription, which are pushed to the endpoint that gcloud sets', async () => {
    const data = Buffer.from(order).toString('base64');
    const message = { data, messageId: '1', attributes: { event_type: 'order.created', event_id: 'evt-1' } };
    const push = JSON.stringify({ message, subscription: 'projects/shop/subscriptions/orders-dead-pull' });
    writeProgram(
      'gcloud',
      `const args = process.argv.slice(2);
       const flag = (name) => args.find((each) => each.startsWith(name + '='))?.slice(name.length + 1);
       const headers = { 'content-type': 'application/json' };
       if (flag('--push-auth-token-audience') !== flag('--push-endpoint')) throw new Error('another audience');
       fetch(flag('--push-endpoint'), { method: 'POST', headers, body: ${JSON.stringify(push)} });
       console.log('Updated subscription [' + args[3] + '].');`,
      process.execPath,
    );
    assert.equal(
      await run(findBlock('modify-push-config')),
      'Updated subscription [projects/shop/subscriptions/orders-dead-pull].\n',
    );
    const { message: body, event_type: type, event_id: id } = await onlyEvent();
    assert.deepEqual([body, type, id], [order, 'order.created', 'evt-1']);
  });

  it('a Kafka topic by kcat, through a file or a pipe, as the same events', async () => {
    const record = {
      ...{ topic: 'orders-dlq', partition: 0, offset: 7, tstype: 'create', ts: 1772358000000, broker: 1 },
      headers: ['__connect.errors.topic', 'orders', '__connect.errors.exception.message', 'no such field'],
      ...{ key: 'customer-7', payload: order },
    };
    write('records', `${JSON.stringify(record)}\n`);
    writeProgram('kcat', `[ "$*" = '-b kafka:9092 -t orders-dlq -C -o beginning -e -q -J' ] && cat records`);
    await run(findBlock('> failures.ndjson') + postLines);
    await run(findBlock('--data-binary @-'));
    const event = await onlyEvent();
    assert.deepEqual(
      [event.message, event.source_topic, event.source_key, event.error_reason],
      [order, 'orders', 'customer-7', 'no such field'],
    );
  });

  it('a Kafka topic by a bridge, which commits what was captured', async () => {
    const base64 = (value: string) => Buffer.from(value).toString('base64');
    strimzi().records.push({
      ...{ topic: 'orders-dlq', partition: 0, offset: 7, timestamp: 1772358000000 },
      headers: [{ key: '__connect.errors.exception.message', value: base64('no such field') }],
      ...{ key: base64('customer-7'), value: base64(order) },
    });
    await run(findBlock('/instances/one').replace('http://BRIDGE:8080', strimzi().url));
    assert.equal(strimzi().committed, 1);
    const event = await onlyEvent();
    assert.deepEqual([event.message, event.source_key], [order, 'customer-7']);
  });

  it('a RabbitMQ queue, and remove what was captured', { skip: lacks('jq') }, async () => {
    rabbit().messages.push(
      ...['first', 'second'].map((message_id) => ({
        ...{ payload: order, payload_encoding: 'string', payload_bytes: order.length, redelivered: false },
        ...{ exchange: '', routing_key: 'orders-dead', message_count: 0 },
        properties: {
          message_id,
          headers: {
            'x-death': [
              {
                count: 1,
                reason: 'rejected',
                queue: 'orders',
                time: 1772358000,
                exchange: '',
                'routing-keys': ['orders'],
              },
            ],
          },
        },
      })),
    );
    await run(findBlock('ack_requeue_true').replace('http://localhost:15672', rabbit().url));
    assert.deepEqual(rabbit().messages, []);
    const events = await readEvents();
    assert.deepEqual(
      events.map(({ message, event_id }) => [message, event_id]),
      [
        [order, 'first'],
        [order, 'second'],
      ],
    );
  });

  it('a table of another database, once', { skip: lacks('psql') }, async () => {
    await other().sql(`create table failures (id int, topic text, message json, error text)`);
    await other().sql(
      `insert into failures values (7, 'order.created', '${order}', 'it''s, "down"'), (8, 'a', '{}', null)`,
    );
    const block = findBlock('staged_failures');
    await run(block);
    await database().sql(`update dlq_events
      set status = 'SUCCEEDED', first_failure_at = '2026-01-01Z', last_failure_at = '2026-01-01Z'`);
    await run(block);
    assert.deepEqual(await database().sql('select distinct status, failure_count from dlq_events'), [
      { status: 'SUCCEEDED', failure_count: 1 },
    ]);
    const [event, ...more] = await readEvents();
    assert.equal(more.length, 1);
    assert.deepEqual(
      [event?.message, event?.event_type, event?.event_id, event?.error_reason],
      [order, 'order.created', 'failures/7', `it's, "down"`],
    );
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
    write('rows.json', JSON.stringify([row]));
    writeProgram('bq', 'cat rows.json');
    await run(findBlock('bq query'));
    const event = await onlyEvent();
    // The stack trace names the class of the exception.
    const errorClass = 'java.lang.RuntimeException';
    assert.deepEqual(
      [event.message, event.event_type, event.event_id, event.error_reason, event.error_stacktrace],
      [order, 'order.created', 'evt-1', `${errorClass}: ${row.errorMessage}`, row.stacktrace],
    );
  });

  it('the open events of another deployment', { skip: lacks('psql') }, async () => {
    await anEvent(other(), {
      event_id: 'evt-1',
      event_key: 'id:evt-1',
      body: Buffer.from(order),
      payload: order,
    });
    await anEvent(other(), { status: 'SUCCEEDED' });
    await run(findBlock('columns='));
    const event = await onlyEvent();
    assert.deepEqual([event.message, event.event_key, event.error_reason], [order, 'id:evt-1', 'timeout']);
  });
});
