import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { fingerprintReason } from '../../../shared/fingerprint/fingerprint.ts';
import type { GroupChange } from '../../../shared/groups/change-groups.ts';
import { changeGroups } from '../../../shared/groups/change-groups.ts';
import { requireGroup, showGroup } from '../../../shared/groups/error-groups.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { useDatabase } from '../../support/database.ts';
import { failRetries, useFailures } from '../../support/failures.ts';

describe('an error group whose state an operator changed', () => {
  const database = useDatabase();
  const timeout = fingerprintReason('timeout');
  const actor = 'ann@example.com';
  const fail = useFailures(database);
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const find = () => requireGroup(database().db, timeout);
  const change = (more: GroupChange) => changeGroups(database().db, [timeout], { actor, ...more });
  beforeEach(() => database().clear());

  it('becomes REGRESSED if it fails again after it was resolved', async () => {
    await fail('timeout');
    await change({ state: 'RESOLVED' });
    await refresh(database().db);
    assert.equal((await find()).state, 'RESOLVED');
    await fail('timeout');

    assert.equal((await find()).state, 'REGRESSED');
  });

  it('stays RESOLVED although plain SQL gave one of its events a time in the future', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, error_reason, created_at)
       values ('order.created', '{}', 'timeout', now() + interval '1 day')`,
    );
    await refresh(database().db);
    await change({ state: 'RESOLVED' });
    await refresh(database().db);

    assert.equal((await find()).state, 'RESOLVED');
  });

  it('becomes REGRESSED if a retry of one of its events fails after it was resolved', async () => {
    await fail('timeout', 2);
    await failRetries(database(), 'HTTP 500: no rate', 1);
    await change({ state: 'RESOLVED' });
    await refresh(database().db);
    assert.equal((await find()).state, 'RESOLVED');
    await failRetries(database(), 'HTTP 500: no rate', 1);
    await refresh(database().db);

    assert.equal((await find()).state, 'REGRESSED');
  });

  it('is neither changed nor in the audit again, if it is all that already', async () => {
    await fail('timeout');
    const all = { state: 'ACKNOWLEDGED', owner: 'payments', note: 'see the runbook' } as const;
    assert.deepEqual(await change(all), [timeout]);
    for (const same of [all, {}, { reason: 'again' }, { state: all.state }, { owner: 'payments' }])
      assert.deepEqual(await change(same), []);

    const { actions } = await showGroup({ db: database().db, routes: [] }, timeout);
    assert.equal(actions.length, 1);
  });

  it('that is resolved again is resolved from now on', async () => {
    await fail('timeout');
    await change({ state: 'RESOLVED' });
    await database().sql(
      `insert into dlq_events (event_type, payload, error_reason) values ('order.created', '{}', 'timeout')`,
    );

    assert.deepEqual(await change({ state: 'RESOLVED' }), [timeout]);
    await refresh(database().db);
    assert.equal((await find()).state, 'RESOLVED');
  });

  it('stays ACKNOWLEDGED when it fails again', async () => {
    await fail('timeout');
    await change({ state: 'ACKNOWLEDGED' });
    await fail('timeout', 100);

    assert.equal((await find()).state, 'ACKNOWLEDGED');
  });

  it('muted for a time reopens when the muting ends, and not before', async () => {
    await fail('timeout');
    await change({ state: 'MUTED', mutedUntil: inHours(1) });
    await fail('timeout', 50);
    assert.equal((await find()).state, 'MUTED');
    await database().sql(`update dlq_error_groups set muted_until = now()`);
    await refresh(database().db);

    assert.equal((await find()).state, 'OPEN');
    const { actions } = await showGroup({ db: database().db, routes: [] }, timeout);
    const [action] = actions;
    assert.deepEqual([action?.actor, action?.action], ['service', 'reopen group']);
  });
});
