import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { findGroup, listGroups, listMovedEvents } from '../../../shared/groups/error-groups.ts';
import { fingerprintReason } from '../../../shared/groups/fingerprint/fingerprint.ts';
import { refreshGroups } from '../../../shared/groups/refresh-groups.ts';
import { useDatabase } from '../../support/database.ts';
import { failRetries, useFailures } from '../../support/failures.ts';
import { firstGroups } from '../../support/group-page.ts';

describe('an event that fails again for another reason', () => {
  const database = useDatabase();
  const timeout = fingerprintReason('timeout');
  const fail = useFailures(database);
  const failAgain = async (error: string, events?: number) => {
    await failRetries(database(), error, events);
    await refreshGroups(database().db);
  };
  const listMoved = (max = 10) => listMovedEvents(database().db, { fingerprint: timeout, max });
  const countEvents = async () => {
    const groups = await listGroups(database().db, firstGroups({ states: ['OPEN'] }));
    return groups.map(({ title, open, failures }) => [title, open, failures]);
  };
  beforeEach(() => database().clear());

  it('leaves its error group for another one', async () => {
    await fail('timeout', 3);
    await failAgain('HTTP 422: no total', 2);

    assert.deepEqual(await countEvents(), [
      ['HTTP 422: no total', 2, 2],
      ['timeout', 1, 1],
    ]);
  });

  it('is counted by the group that it left, the groups with most events first', async () => {
    await fail('timeout', 6);
    await failAgain('HTTP 404: no order', 1);
    await failAgain('HTTP 422: no total', 3);

    const moved = {
      fingerprint: fingerprintReason('HTTP 422: no total'),
      title: 'HTTP 422: no total',
      total: 4,
    };
    assert.deepEqual(await listMoved(1), [{ ...moved, events: 3 }]);
    assert.deepEqual(
      (await listMoved()).map(({ title, events }) => [title, events]),
      [
        ['HTTP 422: no total', 3],
        ['HTTP 404: no order', 1],
      ],
    );
  });

  it('is no longer counted as moved when it fails for its first reason again', async () => {
    await fail('timeout');
    await failAgain('HTTP 422: no total');
    await database().sql('update dlq_events set retry_after = now()');
    await failAgain('timeout');

    assert.deepEqual(await listMoved(), []);
  });

  it('has not moved if only the numbers in the reason differ', async () => {
    await fail('timeout after 5 s');
    await failAgain('timeout after 6 s');

    const fingerprint = fingerprintReason('timeout after 5 s');
    assert.deepEqual(await listMovedEvents(database().db, { fingerprint, max: 10 }), []);
  });

  it('still gives its first group a title, if that had none yet', async () => {
    await fail('timeout');
    await database().sql('update dlq_error_groups set title = null');
    await failAgain('HTTP 422: no total');

    assert.deepEqual(
      (await countEvents()).map(([title]) => title),
      ['HTTP 422: no total', 'timeout'],
    );
  });

  it('gives its first group a title by type and consumer, if no reason was reported', async () => {
    await fail('not reported');
    await database().sql('update dlq_error_groups set title = null');
    await failAgain('HTTP 422: no total');

    assert.deepEqual(
      (await countEvents()).map(([title]) => title),
      ['HTTP 422: no total', 'No reason given: order.created at order.created-consumer'],
    );
  });

  it('is no longer the sample of its first group if that has another event', async () => {
    await fail('timeout', 2);
    const [latest] = await database().sql<{ id: string }>(
      "update dlq_events set retry_after = now() + id * interval '1 second' where id = (select min(id) from dlq_events) returning id",
    );
    await failAgain('HTTP 422: no total');

    const [group] = await findGroup(database().db, { fingerprint: timeout });
    assert.equal(group?.sampleEventId, latest?.id);
  });
});
