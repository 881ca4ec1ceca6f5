import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Database } from '../../../shared/database/database.ts';
import { fingerprintReason } from '../../../shared/fingerprint/fingerprint.ts';
import type { GroupChange } from '../../../shared/groups/change-groups.ts';
import { changeGroups } from '../../../shared/groups/change-groups.ts';
import { countGroups, requireGroup, showGroup } from '../../../shared/groups/error-groups.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { useDatabase } from '../../support/database.ts';
import { useFailures } from '../../support/failures.ts';
import { firstGroups } from '../../support/group-page.ts';
import { actAs } from '../../support/roles.ts';

describe('an error group', () => {
  const database = useDatabase();
  const timeout = fingerprintReason('timeout');
  const actor = 'ann@example.com';
  const fail = useFailures(database);
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const list = (...more: Parameters<typeof firstGroups>) => listGroups(database().db, firstGroups(...more));
  const find = () => showGroup({ db: database().db, routes: [] }, timeout);
  const change = (more: GroupChange) => changeGroups(database().db, [timeout], { actor, ...more });
  beforeEach(() => database().clear());

  it('is created by the first event with its fingerprint, with the words of its latest event as title', async () => {
    await fail('no account for bob@example.com (id 8)');
    await fail('no account for alice@example.com (id 17)');
    const [group] = await list();

    assert.equal(group?.title, 'no account for alice@example.com (id 17)');
    assert.deepEqual([group?.state, group?.failures, group?.open, group?.novelty], ['OPEN', 2, 2, 'new']);
  });

  it('is named by the error below the frames of a Python traceback', async () => {
    const frames = '  File "/app/orders.py", line 42, in place\n    charge(order)\n'.repeat(20);
    const traced = `Traceback (most recent call last):\n${frames}`;
    await fail(
      `${traced}KeyError: 'id'\n\nThe above exception was the direct cause of the following exception:\n\n${traced}app.OrderError: no such order\nasked at noon`,
    );

    assert.equal((await list())[0]?.title, 'app.OrderError: no such order');
    const [seen] = await database().sql('select reason from dlq_failures_by_reason');
    assert.equal(seen?.reason, 'app.OrderError: no such order');
  });

  it('is named by the group of errors that Python raised', async () => {
    const inner =
      '    | Traceback (most recent call last):\n    |   File "/app/a.py", line 4, in b\n    | KeyError: 1';
    const raised = `  + Exception Group Traceback (most recent call last):\n  |   File "/app/a.py", line 1, in a\n  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 ----------------\n${inner}\n    +------------------------------------`;
    await fail(raised);
    const [stored] = await database().sql('select title, causes from dlq_error_groups');

    const title = 'ExceptionGroup: unhandled errors in a TaskGroup';
    assert.equal((await list())[0]?.title, title);
    assert.deepEqual(stored, { title, causes: ['KeyError: 1'] });
  });

  it('has its types, consumers and latest event', async () => {
    await fail('timeout', 3);
    await fail('timeout', 1, 'order.paid');
    const group = await find();

    assert.deepEqual(
      group.eventTypes.map(({ eventType, open }) => [eventType, open]),
      [
        ['order.created', 3],
        ['order.paid', 1],
      ],
    );
    assert.deepEqual(group.consumers, [
      { name: 'order.created-consumer', events: 3 },
      { name: 'order.paid-consumer', events: 1 },
    ]);
    const [event] = await database().sql('select max(id) as id from dlq_events');
    assert.equal(group.sampleEventId, event?.id);
  });

  it('has the failures of each of the last 24 hours', async () => {
    await fail('timeout', 5);
    await database().sql(`update dlq_counts set hour = hour - interval '23 hours'`);
    await fail('timeout', 2);
    const trends = async (until = new Date()) => (await list({ until })).map(({ trend }) => trend);

    assert.deepEqual(await trends(), [[5, ...Array.from({ length: 22 }, () => 0), 2]]);
    assert.deepEqual((await trends(inHours(1)))[0]?.slice(-2), [2, 0]);
  });

  it('is listed by size, on exactly one page', async () => {
    for (const [i, reason] of ['a', 'b', 'c', 'd', 'e', 'f', 'g'].entries()) await fail(reason, 1 + (i % 3));
    const pages: string[][] = [];
    let after: string | undefined;
    for (let page = await list({ limit: 3 }); page.length > 0; page = await list({ limit: 3, after })) {
      pages.push(page.map(({ title }) => title ?? ''));
      after = page.at(-1)?.position;
    }

    assert.deepEqual(
      pages.map(({ length }) => length),
      [3, 3, 1],
    );
    assert.deepEqual(pages.flat().toSorted(), ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    assert.deepEqual(
      (await list()).map(({ open }) => open),
      [3, 3, 2, 2, 1, 1, 1],
    );
  });

  it('is listed by novelty: regressed, new, growing, then by latest failure', async () => {
    for (const reason of ['old', 'older', 'growing', 'new', 'timeout'])
      await fail(reason, reason === 'growing' ? 30 : 1);
    await database().sql(
      `update dlq_error_groups set first_seen_at = now() - interval '9 days' where title <> 'new'`,
    );
    await database().sql(
      `update dlq_error_groups set last_seen_at = now() - interval '2 days' where title = 'older'`,
    );
    await change({ state: 'RESOLVED' });
    await fail('timeout');
    const groups = await list({ order: 'novelty' });

    assert.deepEqual(
      groups.map(({ title, novelty }) => [title, novelty]),
      [
        ['timeout', 'regressed'],
        ['new', 'new'],
        ['growing', 'growing'],
        ['old', null],
        ['older', null],
      ],
    );
  });

  it('is listed only for its state', async () => {
    await fail('timeout');
    await fail('other');
    await change({ state: 'ACKNOWLEDGED' });

    assert.deepEqual(
      (await list({ states: ['ACKNOWLEDGED'] })).map(({ fingerprint }) => fingerprint),
      [timeout],
    );
    const counts = await countGroups(database().db, {});
    assert.deepEqual(
      new Map(counts.map((each) => [each.state, each.groups])),
      new Map([
        ['OPEN', 1],
        ['ACKNOWLEDGED', 1],
      ]),
    );
  });

  it('keeps owner and note until they are removed', async () => {
    await fail('timeout');
    await change({ owner: 'payments', note: 'see the runbook' });
    await change({ state: 'ACKNOWLEDGED' });
    assert.deepEqual([(await find()).owner, (await find()).note], ['payments', 'see the runbook']);
    await change({ owner: '' });

    assert.deepEqual([(await find()).owner, (await find()).note], [null, 'see the runbook']);
  });

  it('records actor, change and reason in the audit', async () => {
    await fail('timeout');
    await change({ state: 'RESOLVED', reason: 'fixed in 1.2' });
    const [action] = (await find()).actions;

    assert.deepEqual(
      [action?.actor, action?.action, action?.reason],
      [actor, 'change group', 'fixed in 1.2'],
    );
    assert.deepEqual(action?.details, {
      fingerprint: timeout,
      from: { state: 'OPEN', owner: null, note: null },
      to: {
        state: 'RESOLVED',
        owner: null,
        note: null,
        muted_until: null,
      },
    });
  });

  it('can be read and changed by dlq_console', async () => {
    await fail('timeout');
    const work = async (db: Database) => {
      await refresh(db);
      await listGroups(db, firstGroups());
      await showGroup({ db, routes: [] }, timeout);
      assert.deepEqual(await changeGroups(db, [timeout], { actor, state: 'RESOLVED', reason: 'fixed' }), [
        timeout,
      ]);
    };

    await actAs('dlq_console', database(), { work });
  });

  it('that does not exist cannot be changed', async () => {
    assert.deepEqual(await change({ state: 'RESOLVED' }), []);
    await assert.rejects(requireGroup(database().db, timeout), { code: 'NOT_FOUND' });
  });

  it('loses an event whose fingerprint changes', async () => {
    await fail('timeout', 2);
    const [event] = await database().sql('select min(id) as id from dlq_events');
    await database().sql('update dlq_events set fingerprint = $1 where id = $2', [
      fingerprintReason('other'),
      event?.id,
    ]);
    await refresh(database().db);

    assert.deepEqual(
      (await list()).map(({ failures, open }) => [failures, open]),
      [
        [1, 1],
        [1, 1],
      ],
    );
  });
});
