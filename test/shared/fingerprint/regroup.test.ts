import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { fingerprintReason } from '../../../shared/fingerprint/fingerprint.ts';
import { findGroup } from '../../../shared/groups/error-groups.ts';
import { mergeGroup, splitByRule } from '../../../shared/groups/merge-and-split.ts';
import { refresh, refreshGroups } from '../../../shared/groups/refresh-groups.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('error groups after their rules changed', () => {
  const database = useDatabase();
  const old = (fingerprint: string, ...reasons: string[]) =>
    Promise.all(reasons.map((error_reason) => anEvent(database(), { fingerprint, error_reason })));
  const change = (columns: string, fingerprint: string) =>
    database().sql(`update dlq_error_groups set ${columns} where fingerprint = $1`, [fingerprint]);
  const find = (fingerprint: string) => findGroup(database().db, fingerprint);
  const act = { actor: 'ann', reason: 'one cause' };
  const [timeout, reset] = [fingerprintReason('timeout'), fingerprintReason('connection reset')];
  beforeEach(() => database().clear());

  it('go on with owner, note, state and mute, and are found by their old fingerprint', async () => {
    await old('v1:timeout', 'timeout', 'timeout');
    await refreshGroups(database().db);
    await change(
      `state = 'MUTED', muted_until = now() + interval '1 day', owner = 'ann', note = 'known'`,
      'v1:timeout',
    );
    const { regrouped } = await refresh(database().db);

    const group = await find('v1:timeout');
    assert.equal(regrouped, 2);
    assert.deepEqual(
      [group?.fingerprint, group?.state, group?.owner, group?.note, group?.failures],
      [timeout, 'MUTED', 'ann', 'known', 2],
    );
    assert.ok((group?.mutedUntil ?? 0) > new Date());
  });

  it('are each of the groups that they fall into, and history is with the larger one', async () => {
    await old('v1:both', 'timeout', 'timeout', 'connection reset');
    await refreshGroups(database().db);
    await change(`owner = 'ann'`, 'v1:both');
    await refresh(database().db);

    const groups = [await find(timeout), await find(reset)];
    assert.deepEqual(
      groups.map((group) => [group?.fingerprint, group?.owner, group?.failures]),
      [
        [timeout, 'ann', 2],
        [reset, 'ann', 1],
      ],
    );
    assert.equal((await find('v1:both'))?.fingerprint, timeout);
  });

  it('stay merged', async () => {
    await old('v1:a', 'timeout');
    await old('v1:b', 'connection reset');
    await refreshGroups(database().db);
    await mergeGroup(database().db, { ...act, fingerprint: 'v1:b', into: 'v1:a' });
    await refresh(database().db);

    assert.equal((await find(reset))?.fingerprint, timeout);
    assert.equal((await find('v1:b'))?.failures, 2);
  });

  it('stay split', async () => {
    await old('v1:a', 'timeout', 'timeout\nof PayPal');
    await refreshGroups(database().db);
    const rule = { field: 'words', value: 'paypal' } as const;
    const part = await splitByRule(database().db, { ...act, fingerprint: 'v1:a', rule });
    await refresh(database().db);
    await database().sql(
      `insert into dlq_events (event_type, payload, error_reason) values ('a', '{}', E'timeout\\nPayPal'), ('a', '{}', 'timeout')`,
    );
    await refresh(database().db);

    assert.deepEqual([(await find(timeout))?.failures, (await find(part.fingerprint))?.failures], [2, 2]);
  });
});
