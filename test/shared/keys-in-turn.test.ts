import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { deliverBatch } from '../../shared/deliver-batch.ts';
import type { LeasedEvent } from '../../shared/events.ts';
import type { Target } from '../../shared/routes.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { useKafkaBridge } from '../support/kafka-bridge.ts';
import { aLeasedEvent } from '../support/leased-event.ts';
import { usePubSubTarget } from '../support/pubsub-target.ts';
import { aRoute, retryConfig } from '../support/routes.ts';

describe('the events of one key', () => {
  const pubsub = usePubSubTarget();
  const bridge = useKafkaBridge('strimzi');
  const http = useHttpTarget();
  /** Ids on both sides of a power of ten, in no order, for ids are texts. */
  const events = [11, 8, 10, 12, 9].map((id) =>
    aLeasedEvent({ id: `${id}`, source_key: 'customer-7', body: Buffer.from(`${id}`) }),
  );
  const inOrder = ['8', '9', '10', '11', '12'];
  const deliver = async (target: Target, batch: readonly LeasedEvent[] = events) => {
    const lease = { token: randomUUID(), endsAt: Date.now() + 60_000 };
    const routes = [aRoute({ target, policy: { timeoutSeconds: 1 } })];
    const deps = { db: undefined as never, routes, retry: retryConfig() };
    return deliverBatch({ ...deps, runId: '1', lease, sparesTargets: true }, batch);
  };
  const published = () =>
    pubsub()
      .messages()
      .map(({ data }) => data.toString());
  it('are published in order of their capture', async () => {
    await deliver({ kind: 'pubsub', topic: pubsub().topic });
    assert.deepEqual(published(), inOrder);
  });

  it('go on after one that failed: only an ordered route holds the others back', async () => {
    pubsub().failNext('Publish', { code: 'UNAVAILABLE' });
    const { settlements } = await deliver({ kind: 'pubsub', topic: pubsub().topic });
    assert.deepEqual(published(), inOrder.slice(1));
    assert.deepEqual(
      settlements.map(({ outcome }) => outcome),
      ['transient', 'delivered', 'delivered', 'delivered', 'delivered'],
    );
  });

  it('wait for nobody of another key', async () => {
    const other = aLeasedEvent({ id: '99', source_key: 'customer-8', body: Buffer.from('99') });
    pubsub().failNext('Publish', { code: 'HANG' });
    await deliver({ kind: 'pubsub', topic: pubsub().topic }, [...events, other]);
    assert.deepEqual(published(), ['99', ...inOrder.slice(1)]);
  });

  it('are written to Kafka in order of their capture', async () => {
    await deliver({ kind: 'kafka-rest', flavor: 'strimzi', url: bridge().url, topic: 'orders', headers: {} });
    assert.equal(bridge().records.length, 5);
    assert.deepEqual(
      bridge().records.map(({ value }) => String(value)),
      inOrder,
    );
  });

  it('go to an HTTP endpoint at once, for there a key says nothing', async () => {
    const held: (() => void)[] = [];
    http().answer = (_, response) => {
      held.push(() => response.end());
      if (held.length === events.length) for (const answer of held) answer();
    };
    const { settlements } = await deliver({ kind: 'http', url: http().url, headers: {} });
    assert.ok(settlements.every(({ outcome }) => outcome === 'delivered'));
  });
});
