import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { catchUp } from '../../shared/catch-up.ts';
import { changeGroup, findGroup, listGroupActs } from '../../shared/error-groups.ts';
import { fingerprintReason } from '../../shared/fingerprint/fingerprint.ts';
import type { GroupChange } from '../../shared/group-change.ts';
import { useDatabase } from '../support/database.ts';
import { useFailures } from '../support/failures.ts';

describe('an error group that people gave a state', () => {
  const database = useDatabase();
  const timeout = fingerprintReason('timeout');
  const actor = 'ann@example.com';
  const fail = useFailures(database);
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const find = async (until = new Date()) => {
    const [group] = await findGroup(database().db, { fingerprint: timeout, until });
    assert.ok(group);
    return group;
  };
  const change = (more: GroupChange) => changeGroup(database().db, timeout, { actor, ...more });
  beforeEach(() =>
    database().sql(
      'truncate dlq_events, dlq_changes, dlq_totals, dlq_counts, dlq_leases, dlq_error_groups, dlq_audit',
    ),
  );

  it('returns by itself when it is seen again after it was resolved', async () => {
    await fail('timeout');
    await change({ state: 'RESOLVED' });
    await catchUp(database().db);
    assert.equal((await find()).state, 'RESOLVED');
    await fail('timeout');

    assert.equal((await find()).state, 'RETURNED');
  });

  it('stays acknowledged, whatever comes', async () => {
    await fail('timeout');
    await change({ state: 'ACKNOWLEDGED' });
    await fail('timeout', 100);

    assert.equal((await find()).state, 'ACKNOWLEDGED');
  });

  const mutings: Record<
    string,
    readonly [GroupChange, stays: () => Promise<unknown>, wakes: () => Promise<unknown>]
  > = {
    'for a time': [
      { state: 'MUTED', mutedUntil: inHours(1) },
      () => fail('timeout', 50),
      async () => {
        await database().sql(`update dlq_error_groups set muted_until = now()`);
        await catchUp(database().db);
      },
    ],
    'for a number of failures': [
      { state: 'MUTED', mutedForFailures: 5 },
      () => fail('timeout', 4),
      () => fail('timeout'),
    ],
    'until a rate': [
      { state: 'MUTED', mutedUntilHourly: 10 },
      () => fail('timeout', 9),
      () => fail('timeout'),
    ],
  };
  for (const [how, [muting, stays, wakes]] of Object.entries(mutings)) {
    it(`muted ${how} opens by itself when that is over, and not before`, async () => {
      await fail('timeout');
      await change(muting);
      await stays();
      assert.equal((await find()).state, 'MUTED');
      await wakes();

      assert.equal((await find()).state, 'OPEN');
      const [act] = await listGroupActs(database().db, { fingerprint: timeout });
      assert.deepEqual([act?.actor, act?.act], ['office', 'wake group']);
    });
  }
});
