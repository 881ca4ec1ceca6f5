import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { setConfiguredRules } from '../../../shared/groups/merge-and-split.ts';
import { useDatabase } from '../../support/database.ts';
import { useFailures } from '../../support/failures.ts';
import { firstGroups } from '../../support/group-page.ts';

describe('a rule of the configuration', () => {
  const database = useDatabase();
  const fail = useFailures(database);
  const rule = { group: 'Declined cards', field: 'words', value: 'Declined' } as const;
  const configure = (...rules: (typeof rule)[]) => setConfiguredRules(database().db, { rules });
  const groups = async () =>
    (await listGroups(database().db, firstGroups())).map(({ fingerprint, failures }) => [
      fingerprint,
      failures,
    ]);
  beforeEach(async () => {
    await database().clear();
    await configure(rule);
  });

  it('is no error group until a failure has its value', async () => {
    assert.deepEqual(await groups(), []);
  });

  it('makes one group of failures with different reasons', async () => {
    await fail('card declined by Visa');
    await fail('DECLINED: no funds');

    assert.deepEqual(await groups(), [['rule:Declined cards', 2]]);
  });

  it('ends when the configuration has it no longer, and its group stays', async () => {
    await fail('card declined by Visa');
    await configure();
    await fail('card declined by Visa');

    assert.equal((await groups()).length, 2);
  });
});
