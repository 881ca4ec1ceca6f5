import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { countEvents } from '../../../shared/events/list-events.ts';
import { changeGroups } from '../../../shared/groups/change-groups.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { failRetries } from '../../support/failures.ts';

describe('a retry that its target answers', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const capture = async (count: number, facts: Parameters<typeof aCapture>[0]) => {
    const captures = Array.from({ length: count }, (_, n) =>
      aCapture({ eventKey: `id:${facts?.errorClass}-${n}`, eventId: `${n}`, ...facts }),
    );
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
    await refresh(database().db);
  };
  const count = async (filter: Filter) =>
    (await countEvents(database().db, filter, { max: 1000 }))[0]?.events;
  const counts = (of: string) =>
    database().sql(
      `select hour, event_type, fingerprint, captures::int, recurrences::int from dlq_counts_by_hour where ${of} order by 1, 2, 3`,
    );
  const groups = () =>
    database().sql<{ fingerprint: string; failures: number; title: string; owner: string | null }>(
      `select fingerprint, title, owner, (
         select sum(captures + recurrences)::int from dlq_counts_by_hour as counted
         where counted.fingerprint = error_group.fingerprint
       ) as failures
       from dlq_error_groups as error_group order by title`,
    );

  it('hides no reason: filters, the view and the group have all 13 events as before, and the answer beside it', async () => {
    await capture(13, { errorReason: 'no total', errorClass: 'E' });
    await failRetries(database(), 'HTTP 422: {}', 13);
    await refresh(database().db);

    assert.equal(await count({ errorText: ['no total'] }), 13);
    assert.equal(await count({ errorClass: ['E'] }), 13);
    assert.equal(await count({ text: ['no total'] }), 13);
    assert.equal(await count({ answer: ['HTTP 422'] }), 13);
    assert.equal(await count({ errorText: ['HTTP 422'] }), 0);
    const reasons = await database().sql('select reason, failures::int from dlq_failures_by_reason');
    assert.deepEqual(reasons, [{ reason: 'E: no total', failures: 13 }]);
  });

  it('moves none of 150 events to another group: 14 that fail change no past count, owner or note', async () => {
    await capture(150, { errorReason: 'declined', errorClass: 'PaymentGatewayException' });
    const [group] = await groups();
    const fingerprint = group?.fingerprint ?? '';
    await changeGroups(database().db, [fingerprint], { owner: 'payments', note: 'a note', actor: 'ada' });
    const before = await counts('true');
    await failRetries(database(), 'HTTP 503: down', 14);
    await refresh(database().db);

    assert.deepEqual(await counts('captures + recurrences > 0'), before);
    assert.deepEqual(await groups(), [{ ...group, owner: 'payments' }]);
  });

  it('gives silent events their reason and their group, once', async () => {
    await capture(3, { errorReason: null });
    await failRetries(database(), 'HTTP 503: down', 3);
    await database().sql('update dlq_events set retry_after = now()');
    await failRetries(database(), 'HTTP 422: no total', 3);
    await refresh(database().db);

    assert.equal(await count({ errorText: ['HTTP 503: down'], answer: ['HTTP 422'] }), 3);
    const open = await database().sql(
      'select fingerprint, sum(pending)::int as pending from dlq_depths group by 1',
    );
    assert.deepEqual(
      open.filter(({ pending }) => pending !== 0).map(({ pending }) => pending),
      [3],
    );
  });

  it('leaves the counts of a group to it when its event recurs for another reason', async () => {
    await capture(2, { errorReason: 'no total', errorClass: 'E' });
    const [first] = await groups();
    const before = await counts('true');
    await database().sql(`update dlq_events set status = 'SUCCEEDED' where event_id = '0'`);
    await capture(1, { errorReason: 'no stock', errorClass: 'F', eventKey: 'id:E-0', deliveryId: 'again' });
    await refresh(database().db);

    assert.deepEqual(
      await counts(`fingerprint = '${first?.fingerprint}' and captures + recurrences > 0`),
      before,
    );
    assert.deepEqual(
      (await groups()).map(({ title, failures }) => [title, failures]),
      [
        ['E: no total', 2],
        ['F: no stock', 1],
      ],
    );
  });

  it('leaves what its consumer said first to be found, when another reason replaces it', async () => {
    await capture(1, { errorReason: 'no total', errorClass: 'E', errorStacktrace: 'E: no total\n  at a' });
    await database().sql(`update dlq_events set status = 'SUCCEEDED'`);
    await capture(1, { errorReason: 'no stock', errorClass: 'F', eventKey: 'id:E-0', deliveryId: 'again' });

    const kept = await database().sql(`select facts from dlq_captures where is_original`);
    const facts = { error_reason: 'no total', error_class: 'E', error_stacktrace: 'E: no total\n  at a' };
    assert.deepEqual(kept, [{ facts }]);
  });
});
