import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Message, PubSub } from '@google-cloud/pubsub';
import { deadLetters } from '../../../packages/client/client.ts';
import { useCapture } from '../../support/capture.ts';
import { useCaptureFront } from '../../support/client/capture-front.ts';
import { type Subscriber, startSubscriber } from '../../support/client/start-subscriber.ts';
import { useDatabase } from '../../support/database.ts';
import { readBodies } from '../../support/stored-bodies.ts';
import { waitUntil } from '../../support/wait-until.ts';

const subscription = 'projects/acme/subscriptions/orders-billing';
const data = Buffer.from([0, 255, 1, 10]);

describe('a handler of @google-cloud/pubsub', () => {
  const database = useDatabase();
  const capture = useCapture(database);
  const front = useCaptureFront(() => capture().url);
  let standIn: Subscriber;
  let pubsub: PubSub;
  before(async () => {
    process.env.METADATA_SERVER_DETECTION = 'none';
    standIn = await startSubscriber();
    process.env.PUBSUB_EMULATOR_HOST = standIn.host;
    pubsub = new PubSub({ projectId: 'acme' });
  });
  after(async () => {
    await pubsub.close();
    await standIn.stop();
  });
  beforeEach(() => database().clear());

  const consume = (handler: (message: Message) => unknown) => {
    const options = { capture: front().url, consumer: subscription, attempts: 1, warn: () => {} };
    const opened = pubsub.subscription('orders-billing', { streamingOptions: { maxStreams: 1 } });
    opened.on('message', deadLetters({ ...options, from: 'pubsub' }).wrap(handler));
    return opened;
  };
  const publish = (messageId: string, attributes: Record<string, string> = {}) =>
    standIn.publish({ data, attributes, messageId, orderingKey: 'A-7' });
  const isAcknowledged = (id: string) => () => standIn.acknowledged.includes(id);

  it('has its failure with bytes, attributes, key, error and time stored, and the message acknowledged', async (context) => {
    const opened = consume(async () => {
      throw Object.assign(new TypeError('no stock'), { kind: 'transient', retryAfter: 120 });
    });
    context.after(() => opened.close());
    publish('pubsub-1', { event_type: 'order.created', tenant: 'eu' });
    await waitUntil('the message is acknowledged', isAcknowledged('pubsub-1'));

    const [event] =
      await database().sql(`select event_type, event_id, headers->>'tenant' as tenant, source_key,
      source_subscription, error_class, error_reason, error_stacktrace, failure_kind, source_attempts, occurred_at,
      retry_after > now() + interval '1 minute' as waits from dlq_events`);
    assert.deepEqual(await readBodies(database()), [data]);
    assert.match(String(event?.error_stacktrace), /^TypeError: no stock\n {4}at .*pubsub\.test\.ts/);
    assert.deepEqual(
      { ...event, error_stacktrace: null },
      {
        ...{ event_type: 'order.created', event_id: 'pubsub-1', tenant: 'eu', source_key: 'A-7' },
        ...{ source_subscription: subscription, error_class: 'TypeError', error_reason: 'no stock' },
        ...{ error_stacktrace: null, failure_kind: 'transient', source_attempts: 1, waits: true },
        occurred_at: new Date(1_790_000_000_000),
      },
    );
  });

  it('gets its message again while capture is down, and is not called again once it is stored', async (context) => {
    front().faults.push('unsent', 503);
    let calls = 0;
    const opened = consume(() => {
      calls += 1;
      throw new Error('no stock');
    });
    context.after(() => opened.close());
    publish('pubsub-2');
    await waitUntil('the message is acknowledged', isAcknowledged('pubsub-2'));
    assert.equal(calls, 3);
    const rows = await database().sql('select event_id, failure_count::int from dlq_events');
    assert.deepEqual(rows, [{ event_id: 'pubsub-2', failure_count: 1 }]);
  });

  it('reports nothing that it handled', async (context) => {
    const opened = consume(async () => {});
    context.after(() => opened.close());
    publish('pubsub-3');
    await waitUntil('the message is acknowledged', isAcknowledged('pubsub-3'));
    assert.deepEqual(await database().sql('select id from dlq_events'), []);
  });
});
