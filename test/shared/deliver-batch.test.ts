import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { openDatabase } from '../../shared/database.ts';
import { type Batch, deliverBatch } from '../../shared/deliver-batch.ts';
import { claim } from '../support/claims.ts';
import { useDatabase } from '../support/database.ts';
import { openDatabaseLink } from '../support/database-link.ts';
import { anEvent, manyEvents } from '../support/factories.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { usePubSubTarget } from '../support/pubsub-target.ts';
import { aRoute, aRouteTo, retryConfig } from '../support/routes.ts';

describe('a batch', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const pubsub = usePubSubTarget();
  beforeEach(() => database().sql('truncate dlq_events, dlq_attempts'));
  const deliver = async (more: Partial<Batch> = {}, leaseSeconds = 60) => {
    const lease = { token: randomUUID(), endsAt: Date.now() + leaseSeconds * 1000 };
    const events = await claim(database(), { leaseToken: lease.token });
    const batch = {
      db: database().db,
      routes: [aRouteTo(target().url)],
      retry: retryConfig(),
      runId: '7',
      lease,
    };
    return deliverBatch({ ...batch, ...more }, events);
  };
  const statuses = () => database().sql('select distinct status, retry_count from dlq_events');

  it('goes where the route of each event leads, be it an HTTP endpoint or a topic', async () => {
    await anEvent(database());
    await anEvent(database(), { event_type: 'invoice.created' });
    const { topic, messages } = pubsub();
    const toTopic = aRoute({ match: { eventType: 'invoice.*' }, target: { kind: 'pubsub', topic } });
    await deliver({ routes: [toTopic, aRouteTo(target().url)] });

    assert.deepEqual([target().received.length, messages().length], [1, 1]);
    assert.deepEqual(await statuses(), [{ status: 'SUCCEEDED', retry_count: 0 }]);
  });

  it('gives back an event whose turn comes so late that its lease could end first', async () => {
    await anEvent(database());
    const [delivered] = await deliver({}, 30);

    assert.deepEqual([delivered?.settlement.outcome, target().received.length], [null, 0]);
    assert.deepEqual(await statuses(), [{ status: 'PENDING', retry_count: 0 }]);
  });

  it('gives back an event whose route has gone meanwhile', async () => {
    await anEvent(database());
    await deliver({ routes: [] });

    assert.deepEqual(await statuses(), [{ status: 'PENDING', retry_count: 0 }]);
  });

  it('says of which events the lease was lost meanwhile', async () => {
    await anEvent(database());
    target().answer = async (_, response) => {
      await database().sql('update dlq_events set lease_token = gen_random_uuid()');
      response.end();
    };

    assert.deepEqual(
      (await deliver()).map(({ isSettled }) => isSettled),
      [false],
    );
    assert.deepEqual(await statuses(), [{ status: 'PROCESSING', retry_count: 0 }]);
  });

  it('is settled though the database went away and came back while it was delivered', async () => {
    await manyEvents(database(), 3);
    const link = await openDatabaseLink(database().url);
    const db = openDatabase({ kind: 'url', url: link.url, poolMax: 1 }, 'a worker');
    await db.query({ text: 'select 1' });
    target().answer = async (_, response) => {
      response.end();
      if (target().received.length === 3) await link.cut().then(() => setTimeout(link.mend, 300));
    };

    await deliver({ db });
    assert.deepEqual(await statuses(), [{ status: 'SUCCEEDED', retry_count: 0 }]);
    await db.close();
    await link.cut();
  });
});
