import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { openDatabase } from '../../../shared/database/database.ts';
import type { DeliveryDeps } from '../../../shared/delivery/delivery-deps.ts';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { openDatabaseLink } from '../../support/database-link.ts';
import { deliverBatch } from '../../support/deliver-batch.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { useKafkaBridge } from '../../support/kafka-bridge.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';
import { aRoute, aRouteTo, retryConfig } from '../../support/routes.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a claimed batch', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const pubsub = usePubSubTarget();
  const bridge = useKafkaBridge('strimzi');
  beforeEach(() => database().clear());
  const deliver = async (more: Partial<DeliveryDeps> = {}, leaseSeconds = 60) => {
    const lease = { token: randomUUID(), endsAt: Date.now() + leaseSeconds * 1000 };
    const events = await claim(database(), { leaseToken: lease.token });
    const deps = { db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig(), ...more };
    return deliverBatch(deps, { lease, events });
  };
  const statuses = () => database().sql('select distinct status, retry_count from dlq_events');

  it('is delivered to the target of each route: HTTP endpoint, Pub/Sub topic or Kafka bridge', async () => {
    await anEvent(database());
    await anEvent(database(), { event_type: 'invoice.created' });
    await anEvent(database(), { event_type: 'parcel.lost' });
    const { topic, messages } = pubsub();
    const toTopic = aRoute({ match: { eventType: 'invoice.*' }, target: { kind: 'pubsub', topic } });
    const toKafka = aRoute({
      match: { eventType: 'parcel.*' },
      target: { kind: 'kafka-rest', flavor: 'strimzi', url: bridge().url, topic: 'parcels' },
    });
    await deliver({ routes: [toTopic, toKafka, aRouteTo(target().url)] });

    assert.deepEqual([target().received.length, messages().length, bridge().records.length], [1, 1, 1]);
    assert.deepEqual(await statuses(), [{ status: 'SUCCEEDED', retry_count: 0 }]);
  });

  it('releases an event if its lease could end during the delivery', async () => {
    await anEvent(database());
    const { released } = await deliver({}, 30);

    assert.deepEqual([released, target().received.length], [1, 0]);
    assert.deepEqual(await statuses(), [{ status: 'PENDING', retry_count: 0 }]);
  });

  it('reports the events whose lease was lost during the delivery', async () => {
    await anEvent(database());
    target().answer = async (_, response) => {
      await database().sql('update dlq_events set lease_token = gen_random_uuid()');
      response.end();
    };

    assert.equal((await deliver()).stale, 1);
    assert.deepEqual(await statuses(), [{ status: 'PROCESSING', retry_count: 0 }]);
  });

  it('is settled once the database is available again after an outage during the delivery', async (context) => {
    const link = await openDatabaseLink(database().url);
    const db = openDatabase({ kind: 'url', url: link.url, poolMax: 1 }, 'a worker');
    context.after(() => Promise.all([db.close(), link.cut()]));
    let failures = 0;
    const countFailure = (error: unknown) => {
      failures += 1;
      throw error;
    };
    await anEvent(database());
    target().answer = async (_, response) => {
      await link.cut();
      response.end();
    };
    const delivering = deliver({
      db: { ...db, query: (query) => db.query<never>(query).catch(countFailure) },
    });
    await waitUntil('the settlement has failed once', () => failures > 0);
    await link.mend();
    await delivering;

    assert.deepEqual(await statuses(), [{ status: 'SUCCEEDED', retry_count: 0 }]);
  });

  it('is neither sent nor charged a retry if the database fails before the delivery', async (context) => {
    const link = await openDatabaseLink(database().url);
    const db = openDatabase({ kind: 'url', url: link.url, poolMax: 1 }, 'a worker');
    context.after(() => Promise.all([db.close(), link.cut()]));
    await anEvent(database());
    await link.cut();
    const failing = Promise.withResolvers<void>();
    const query: typeof db.query = (each) =>
      db.query<never>(each).catch((error) => {
        failing.resolve();
        throw error;
      });
    const delivering = assert.rejects(deliver({ db: { ...db, query } }), { code: 'DATABASE_UNAVAILABLE' });
    await failing.promise;
    await link.mend();
    await delivering;

    assert.deepEqual(await statuses(), [{ status: 'PENDING', retry_count: 0 }]);
    assert.deepEqual(target().received, []);
  });

  it('is not settled if the database is still unavailable when its lease ends', async (context) => {
    const link = await openDatabaseLink(database().url);
    const db = openDatabase({ kind: 'url', url: link.url, poolMax: 1 }, 'a worker');
    context.after(() => db.close());
    await anEvent(database());
    target().answer = async (_, response) => {
      await link.cut();
      response.end();
    };
    const routes = [aRouteTo(target().url, { policy: { timeoutSeconds: 1 } })];

    await assert.rejects(deliver({ db, routes }, 5), { code: 'DATABASE_UNAVAILABLE' });
  });
});
