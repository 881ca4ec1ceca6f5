import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { listTopGroups, sumUp } from '../../../shared/counts/sum-steps.ts';
import { listAudit } from '../../../shared/events/audit.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { exportEvents } from '../../../shared/events/export-events.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { countEvents, listEvents } from '../../../shared/events/list-events.ts';
import { fingerprintReason } from '../../../shared/fingerprint/fingerprint.ts';
import { changeGroups } from '../../../shared/groups/change-groups.ts';
import { countGroups, showGroup } from '../../../shared/groups/error-groups.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { mergeGroup, splitGroup } from '../../../shared/groups/merge-and-split.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { createRun } from '../../../shared/replay/create-run.ts';
import { useDatabase } from '../../support/database.ts';
import { useFailures } from '../../support/failures.ts';
import { firstGroups } from '../../support/group-page.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRunRequest } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('merged error groups', () => {
  const database = useDatabase();
  const fail = useFailures(database);
  const [a, b, c] = ['timeout', 'connection reset', 'no route to host'].map(fingerprintReason) as [
    string,
    string,
    string,
  ];
  const act = { actor: 'ann', reason: 'one outage' };
  const merge = (fingerprint: string, into: string) =>
    mergeGroup(database().db, { ...act, fingerprint, into });
  const split = (fingerprint: string) => splitGroup(database().db, { ...act, fingerprint });
  const list = () => listGroups(database().db, firstGroups());
  const find = (fingerprint: string) => showGroup({ db: database().db, routes: [] }, fingerprint);
  const numbers = async () =>
    (await list()).map(({ fingerprint, failures, open, failuresIn24Hours, trend }) => {
      return [fingerprint, failures, open, failuresIn24Hours, trend.at(-1)];
    });
  beforeEach(async () => {
    await database().clear();
    await fail('timeout', 3);
    await fail('connection reset', 2);
    await fail('no route to host', 1);
    await refresh(database().db);
  });

  it('are one group in the list, with the sums of both and the words of the latest event', async () => {
    await merge(a, b);
    assert.deepEqual(await numbers(), [
      [b, 5, 5, 5, 5],
      [c, 1, 1, 1, 1],
    ]);
    const [group] = await list();
    assert.deepEqual([group?.title, group?.members.toSorted()], ['connection reset', [a, b].toSorted()]);
    assert.deepEqual(await countGroups(database().db, {}), [{ state: 'OPEN', groups: 2 }]);
  });

  it('count later failures of both', async () => {
    await merge(a, b);
    await fail('timeout', 4);
    assert.deepEqual((await numbers())[0], [b, 9, 9, 9, 9]);
  });

  it('are one group on its page, in the overview and in the view, under both fingerprints', async () => {
    await merge(a, b);
    const group = await find(a);
    assert.deepEqual([group.fingerprint, group?.failures, group?.members], [b, 5, [b, a]]);
    assert.deepEqual(group?.eventTypes, [{ eventType: 'order.created', open: 5, failedPermanently: 0 }]);
    assert.deepEqual(group?.consumers, [{ name: 'order.created-consumer', events: 5 }]);
    const now = new Date();
    const since = new Date(now.getTime() - 24 * 3_600_000);
    const until = new Date(now.getTime() + 3_600_000);
    const groups = await listTopGroups(database().db, { since, until, stepMinutes: 60, steps: 25 }, 10);
    assert.deepEqual(
      groups.map(({ fingerprint, steps }) => [fingerprint, sumUp(steps, 'failures')]),
      [
        [b, 5],
        [c, 1],
      ],
    );
    const rows = await database().sql(
      'select fingerprint, failures::int from dlq_failures_by_reason order by 2 desc',
    );
    assert.deepEqual(rows[0], { fingerprint: b, failures: 5 });
  });

  it('are as before after a split', async () => {
    const before = await numbers();
    await merge(a, b);
    await split(a);
    assert.deepEqual(await numbers(), before);
    assert.equal((await find(a))?.fingerprint, a);
  });

  it('follow when their group is merged into a third, and are split off one by one', async () => {
    await merge(a, b);
    await merge(b, c);
    assert.deepEqual(await numbers(), [[c, 6, 6, 6, 6]]);
    await split(b);
    assert.deepEqual(
      (await numbers()).map(([fingerprint, failures]) => [fingerprint, failures]),
      [
        [c, 4],
        [b, 2],
      ],
    );
  });

  it('regress together: a resolved group does when a merged one fails again', async () => {
    await merge(a, b);
    await changeGroups(database().db, [b], { state: 'RESOLVED', actor: 'ann' });
    await fail('timeout', 1);
    await refresh(database().db);
    assert.equal((await find(b))?.state, 'REGRESSED');
  });

  it('share the state that an operator sets under either fingerprint', async () => {
    await merge(a, b);
    await changeGroups(database().db, [a], { state: 'ACKNOWLEDGED', owner: 'ann', actor: 'ann' });
    const group = await find(b);
    assert.deepEqual([group?.state, group?.owner], ['ACKNOWLEDGED', 'ann']);
    await split(a);
    assert.equal((await find(a))?.state, 'OPEN');
  });

  it('are selected together by the fingerprint of their group, in lists, counts, exports and replays', async () => {
    const { db } = database();
    const filter = { fingerprint: [b] };
    const selected = async () => {
      const read = { db, routes: [], costLimit: 0 };
      const lines = [];
      for await (const line of exportEvents(read, { filter, isArchived: false, format: 'ndjson' }))
        lines.push(...line.split('\n').filter(Boolean));
      const { run } = await createRun(
        { ...read, routes: [aRouteTo('http://shop/')] },
        aRunRequest({ filter: { fingerprint: b } }),
        'ann',
      );
      return {
        listed: (await listEvents(db, filter, { ...firstPosition, max: 50 })).length,
        counted: (await countEvents(db, filter, { max: 50 }))[0]?.events,
        exported: lines.length,
        replayed: run.selected,
      };
    };
    assert.deepEqual(await selected(), { listed: 2, counted: 2, exported: 2, replayed: 2 });
    await merge(a, b);
    assert.deepEqual(await selected(), { listed: 5, counted: 5, exported: 5, replayed: 5 });
    await split(a);
    assert.equal((await selected()).listed, 2);
  });

  it('are each selected alone by the fingerprint of the merged one', async () => {
    await merge(a, b);
    assert.equal((await countEvents(database().db, { fingerprint: [a] }, { max: 50 }))[0]?.events, 3);
  });

  it('are recorded with actor and reason, in the audit and in the history of both', async () => {
    await merge(a, b);
    await split(a);
    const audit = await listAudit({ db: database().db, routes: [] }, {}, { before: maxBigint, max: 10 });
    assert.deepEqual(
      audit.map(({ actor, action, reason, details }) => [actor, action, reason, details]),
      ['split group', 'merge group'].map((action) => [
        'ann',
        action,
        'one outage',
        { fingerprint: b, merged: a },
      ]),
    );
    for (const fingerprint of [a, b]) {
      assert.equal((await find(fingerprint)).actions.length, 2);
    }
  });

  it('cannot be merged into themselves, into an unknown or a second group, or split if they are not merged', async () => {
    await assert.rejects(merge(a, a), /Both are one error group already/);
    await assert.rejects(merge(a, 'v2:unknown'), /There is no error group v2:unknown/);
    await assert.rejects(split(a), /is not merged/);
    await merge(a, b);
    await assert.rejects(merge(a, c), /split it first/);
    await assert.rejects(merge(b, a), /Both are one error group already/);
    await assert.rejects(
      database().sql('update dlq_error_groups set merged_into = $1 where fingerprint = $2', [a, c]),
      /dlq_error_groups_merged_once/,
    );
  });

  it('are never a chain or a circle if two operators merge at the same moment', async () => {
    const first = `update dlq_error_groups set merged_into = '${b}' where fingerprint = '${a}'`;
    await whileTransactionIsOpen(database().url, first, async (commit) => {
      const rival = merge(b, c).then(
        () => 'merged',
        (error: unknown) => String(error),
      );
      await waitUntil('the second merge waits', async () => {
        const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
        return (await database().sql(waits)).length > 0;
      });
      await commit();
      assert.match(await rival, /at the same moment/);
    });
    assert.equal((await find(a))?.fingerprint, b);
  });

  it('have the first failure of all, the last one and the latest event, and begin with their regression', async () => {
    await database().sql(
      `insert into dlq_error_groups
         (fingerprint, first_seen_at, last_seen_at, sample_event_id, state, state_changed_at, merged_into) values
       ('v1:a', '2026-01-03Z', '2026-01-04Z', 5, 'OPEN', '2026-01-08Z', null),
       ('v1:b', '2026-01-01Z', '2026-01-06Z', 7, 'OPEN', '2026-01-08Z', 'v1:a'),
       ('v1:c', '2026-01-02Z', '2026-01-05Z', 6, 'OPEN', '2026-01-08Z', 'v1:a'),
       ('v1:d', '2026-01-01Z', '2026-01-06Z', 7, 'REGRESSED', '2026-01-05Z', null),
       ('v1:e', '2026-01-02Z', '2026-01-04Z', 6, 'OPEN', '2026-01-08Z', 'v1:d')`,
    );
    const merged = `select members, extract(day from first_seen_at)::int as first, extract(day from last_seen_at)::int as last,
        extract(day from began_at)::int as began, sample_event_id::int as event
      from dlq_groups_merged where fingerprint ~ '^v1' order by fingerprint`;
    assert.deepEqual(await database().sql(merged), [
      { members: ['v1:a', 'v1:b', 'v1:c'], first: 1, last: 6, began: 1, event: 7 },
      { members: ['v1:d', 'v1:e'], first: 1, last: 6, began: 5, event: 7 },
    ]);
  });

  it('are listed beside rules of the configuration that a failure has met, or that others were merged into', async () => {
    await database().sql(
      `insert into dlq_error_groups
         (fingerprint, first_seen_at, last_seen_at, sample_event_id, split_from, split_field, split_value, merged_into) values
       ('v2:met', now(), now(), 7, null, 'class', 'A', null),
       ('v2:not-met', now(), now(), null, null, 'class', 'B', null),
       ('v2:of-a-person', now(), now(), null, 'v2:met', 'class', 'C', null),
       ('v2:merged-into', now(), now(), null, null, 'class', 'D', null),
       ('v2:merged', now(), now(), 7, null, null, null, 'v2:merged-into')`,
    );
    const listed = await database().sql<{ fingerprint: string }>(
      `select fingerprint from dlq_groups_merged where fingerprint ~ '^v2' order by fingerprint`,
    );
    assert.deepEqual(
      listed.map(({ fingerprint }) => fingerprint),
      ['v2:merged-into', 'v2:met', 'v2:of-a-person'],
    );
  });
});
