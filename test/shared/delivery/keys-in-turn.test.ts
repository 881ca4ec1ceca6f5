import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import type { Target } from '../../../shared/delivery/targets/target-kinds.ts';
import { useDatabase } from '../../support/database.ts';
import { deliverBatch } from '../../support/deliver-batch.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { useKafkaBridge } from '../../support/kafka-bridge.ts';
import { aLeasedEvent } from '../../support/leased-event.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';
import { aRoute, retryConfig } from '../../support/routes.ts';

describe('the events of one key', () => {
  const database = useDatabase();
  const pubsub = usePubSubTarget();
  const bridge = useKafkaBridge('strimzi');
  const http = useHttpTarget();
  beforeEach(() => database().clear());
  type Keyed = { readonly id: number; readonly sourceKey: string };
  /** Unsorted ids on both sides of a power of ten: ids are text, and must be compared as numbers. */
  const events: Keyed[] = [11, 8, 10, 12, 9].map((id) => ({ id, sourceKey: 'customer-7' }));
  const inOrder = ['8', '9', '10', '11', '12'];
  const deliver = async (target: Target, batch: readonly Keyed[] = events) => {
    const lease = { token: randomUUID(), endsAt: Date.now() + 60_000 };
    const leased = { status: 'PROCESSING', lease_token: lease.token, lease_expires_at: '2100-01-01' };
    for (const { id, sourceKey } of batch) {
      await anEvent(database(), { id, source_key: sourceKey, body: Buffer.from(`${id}`), ...leased });
    }
    const routes = [aRoute({ target, policy: { timeoutSeconds: 3 } })];
    const deps = { db: database().db, routes, retry: retryConfig() };
    const claimed = batch.map(({ id, sourceKey }) => aLeasedEvent({ id: `${id}`, sourceKey }));
    return deliverBatch(deps, { lease, events: claimed });
  };
  const published = () =>
    pubsub()
      .messages()
      .map(({ data }) => data.toString());
  it('are published to Pub/Sub in order of capture', async () => {
    await deliver({ kind: 'pubsub', topic: pubsub().topic });
    assert.deepEqual(published(), inOrder);
  });

  it('continue after a failed one: only an ordered route blocks the others', async () => {
    pubsub().failNext('Publish', { code: 'UNAVAILABLE' });
    const tally = await deliver({ kind: 'pubsub', topic: pubsub().topic });
    assert.deepEqual(published(), inOrder.slice(1));
    assert.deepEqual([tally.transient, tally.delivered], [1, 4]);
  });

  it('do not wait for events of another key', async () => {
    const other = { id: 99, sourceKey: 'customer-8' };
    pubsub().failNext('Publish', { code: 'HANG' });
    await deliver({ kind: 'pubsub', topic: pubsub().topic }, [...events, other]);
    assert.deepEqual(published(), ['99', ...inOrder.slice(1)]);
  });

  it('are written to Kafka in order of capture', async () => {
    await deliver({ kind: 'kafka-rest', flavor: 'strimzi', url: bridge().url, topic: 'orders', headers: {} });
    assert.equal(bridge().records.length, 5);
    assert.deepEqual(
      bridge().records.map(({ value }) => String(value)),
      inOrder,
    );
  });

  it('are sent to an HTTP endpoint concurrently', async () => {
    const held: (() => void)[] = [];
    http().answer = (_, response) => {
      held.push(() => response.end());
      if (held.length === events.length) for (const answer of held) answer();
    };
    const tally = await deliver({ kind: 'http', url: http().url, headers: {}, allowHeaders: [] });
    assert.equal(tally.delivered, events.length);
  });
});
