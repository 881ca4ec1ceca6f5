import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { authorizeCalls } from '../../import/authorize.ts';
import { CommandError } from '../../import/command-error.ts';
import { type Drained, drain } from '../../import/drain.ts';
import { openSubscriber } from '../../import/open-subscriber.ts';
import { openCapture } from '../../import/send-lines.ts';
import { useCaptureGate } from '../support/capture-gate.ts';
import { useDatabase } from '../support/database.ts';
import { useFunction } from '../support/framework.ts';
import { subscriptionName, usePubSub } from '../support/pubsub/use-pubsub.ts';
import { readBodies } from '../support/stored-bodies.ts';

const name = subscriptionName('orders-dead-pull');

describe('draining a subscription', () => {
  const database = useDatabase();
  const capture = useFunction('capture', () => ({ DATABASE_URL: database().url, MAX_BODY_BYTES: '65536' }));
  const gate = useCaptureGate(() => capture());
  const running = usePubSub();
  beforeEach(() => database().sql('truncate dlq_events'));

  const createTopic = async (enableMessageOrdering = false) => {
    const [topic] = await running().client.createTopic('orders-dead');
    topic.setPublishOptions({ messageOrdering: enableMessageOrdering });
    await topic.createSubscription('orders-dead-pull', { enableMessageOrdering });
    return topic;
  };
  const publish = async (count: number, topic?: Awaited<ReturnType<typeof createTopic>>) => {
    const to = topic ?? (await createTopic());
    for (let n = 1; n <= count; n++) await to.publishMessage({ data: Buffer.from(`{"n": ${n}}`) });
    return to;
  };
  /** One run of the command, which ends with the first pull without messages. */
  const run = async ({ subscription = name, limit = 1_000_000, timeoutMs = 5000 } = {}) => {
    process.env.PUBSUB_EMULATOR_HOST = running().standIn.host;
    const drained: Drained = { events: { new: 0, known: 0, conflicting: 0 }, rejected: new Set() };
    const rejected: string[] = [];
    const stopping = new AbortController();
    const subscriber = await openSubscriber(name);
    const url = new URL(gate().url);
    const [stop, warn] = [stopping.signal, () => {}];
    const send = openCapture({ url, authorize: authorizeCalls(url), stop, warn, timeoutMs });
    const pulls: number[] = [];
    const pull = (count: number) => {
      pulls.push(count);
      return subscriber.pull(count);
    };
    const reject = (messageId: string, reason: string) => rejected.push(`${messageId} ${reason}`);
    const deps = { subscriber: { ...subscriber, pull }, send, stop, reject, onProgress: () => {} };
    try {
      await drain(deps, { subscription, idleSeconds: 0, limit }, drained);
    } finally {
      await subscriber.close();
    }
    return { ...drained.events, rejected, pulls };
  };
  const left = () =>
    running()
      .standIn.backlog(name)
      .messages.map(({ data }) => `${data}`);
  const bodies = async () => (await readBodies(database())).map(String);

  it('stores what a push of the same message stores', async () => {
    const topic = await createTopic();
    const data = Buffer.from([0, 255, 10]);
    const attributes = { event_id: 'evt-1', event_type: 'order.created', ключ: 'é' };
    await topic.publishMessage({ data, attributes, orderingKey: 'customer-7' });
    await run();
    const columns = `event_key, delivery_id, event_type, event_id, body, headers, source_kind, source_subscription,
      source_key, occurred_at, is_exact, metadata`;
    const drained = await database().sql(`select ${columns} from dlq_events`);

    await database().sql('truncate dlq_events');
    const [message] = running().standIn.messages(topic.name);
    const push = {
      message: {
        ...{ data: data.toString('base64'), attributes, orderingKey: 'customer-7' },
        ...{ messageId: message?.messageId, publishTime: message?.publishTime.toISOString() },
      },
      subscription: name,
    };
    await fetch(capture().url, { method: 'POST', body: JSON.stringify(push) });
    assert.deepEqual(drained, await database().sql(`select ${columns} from dlq_events`));
    assert.deepEqual(left(), []);
  });

  it('keeps the order of each ordering key over many pulls and a failed acknowledgement', async () => {
    const topic = await createTopic(true);
    await Promise.all(
      Array.from({ length: 1200 }, (_, n) =>
        topic.publishMessage({ data: Buffer.from(`${n}`), orderingKey: `customer-${n % 2}` }),
      ),
    );
    running().standIn.failNext('Acknowledge', { code: 'UNAVAILABLE' });
    assert.equal((await run()).new, 1200);
    const numbers = (await bodies()).map(Number);
    for (const key of [0, 1]) {
      const ofKey = numbers.filter((n) => n % 2 === key);
      assert.deepEqual(
        ofKey,
        ofKey.toSorted((a, b) => a - b),
      );
    }
  });

  it('acknowledges nothing before capture answered that it is stored', async () => {
    await publish(3);
    const backlogs: number[] = [];
    gate().next(async (_, response) => {
      backlogs.push(left().length);
      response.writeHead(503).end();
    });
    gate().next(async (pass, response) => {
      await pass();
      backlogs.push(left().length);
      response.destroy();
    });
    // The answer was lost: the repetition is known.
    const { known } = await run();
    assert.equal(known, 3);
    assert.deepEqual(backlogs, [3, 3]);
    assert.deepEqual(left(), []);
  });

  for (const [what, status, body] of [
    ['another server', 200, '<h1>Welcome</h1>'],
    ['another number of events', 200, '{"events": [{"isNew": true}]}'],
    ['a rejected caller', 403, ''],
  ] as const) {
    it(`stops at an answer of ${what}, and releases the messages at once`, async () => {
      await publish(3);
      gate().next(async (_, response) => void response.writeHead(status).end(body));
      await assert.rejects(run(), CommandError);
      assert.equal(left().length, 3);
      assert.equal(running().standIn.backlog(name).leases.size, 0);
    });
  }

  it('gives up on a capture that stays unavailable, and continues with the next run', async () => {
    await publish(2);
    gate().next(async (_, response) => void response.writeHead(503).end());
    await assert.rejects(run({ timeoutMs: 0 }), /is unavailable \(503\)/);
    assert.equal(left().length, 2);
    assert.equal((await run()).new, 2);
  });

  it('holds messages while capture works, and needs no longer lease of the subscription', async () => {
    await publish(1);
    await run();
    assert.deepEqual(running().standIn.backlog(name).holds, [30]);
  });

  it('leaves a message that is too large in the subscription, names it, and moves all others', async () => {
    const topic = await publish(2);
    const id = await topic.publishMessage({ data: Buffer.alloc(70_000, 'x') });
    await publish(2, topic);
    const { rejected, new: stored } = await run();
    assert.equal(stored, 4);
    assert.deepEqual(rejected, [
      `${id} is larger than MAX_BODY_BYTES of the deployment, and stays in the subscription`,
    ]);
    assert.deepEqual(left(), ['x'.repeat(70_000)]);
  });

  it('sends smaller batches to a server that breaks the connection twice', async () => {
    await publish(3);
    for (const _ of [1, 2]) gate().next(async (_pass, response) => void response.destroy());
    assert.equal((await run()).new, 3);
    const lines = gate().requests.map((body) => `${body}`.split('\n').length);
    assert.deepEqual(lines, [3, 3, 2, 1]);
  });

  it('makes one event with the message that a push subscription of the topic sent', async () => {
    const topic = await publish(1);
    const subscription = subscriptionName('dlo-orders');
    const [{ messageId } = { messageId: '' }] = running().standIn.messages(topic.name);
    const data = Buffer.from('{"n": 1}').toString('base64');
    const push = { message: { data, messageId }, subscription };
    await fetch(capture().url, { method: 'POST', body: JSON.stringify(push) });
    assert.equal((await run({ subscription })).known, 1);
  });

  it('pulls as many messages at a time as their size allows', async () => {
    const topic = await createTopic();
    const data = Buffer.alloc(45_000, 'x');
    await Promise.all(Array.from({ length: 5 }, () => topic.publishMessage({ data })));
    const { pulls } = await run();
    // 60 kB each in base64; 16 MiB in all.
    assert.deepEqual([pulls[0], Math.round((pulls[1] ?? 0) / 10)], [50, 28]);
  });

  it('ends at its limit', async () => {
    await publish(5);
    assert.equal((await run({ limit: 2 })).new, 2);
    assert.deepEqual(left(), ['{"n": 3}', '{"n": 4}', '{"n": 5}']);
  });

  it('repeats a call that Pub/Sub could not answer', async () => {
    await publish(2);
    running().standIn.failNext('Pull', { code: 'UNAVAILABLE' });
    running().standIn.failNext('ModifyAckDeadline', { code: 'INTERNAL' });
    assert.equal((await run()).new, 2);
  });

  it('names the subscription that does not exist', async () => {
    await assert.rejects(run(), /Resource not found.*orders-dead-pull\)\. List those of a project: gcloud/);
  });
});
