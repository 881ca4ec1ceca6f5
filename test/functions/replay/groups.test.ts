import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupStates } from '../../../shared/groups/error-groups.ts';
import { groupPosition, type ListedGroup, listGroups } from '../../../shared/groups/list-groups.ts';
import { useApi } from '../../support/api.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

type Group = { readonly fingerprint: string; readonly open: number };

describe('the error groups of the API', () => {
  const database = useDatabase();
  const api = useApi(database);
  const list = async () => (await api().get<{ items: readonly Group[] }>('/groups')).body.items;
  const show = async (fingerprint: string) => (await api().get<Group>(`/groups/${fingerprint}`)).body;

  it('have what was captured a moment ago', async () => {
    await anEvent(database(), { fingerprint: 'v1:a' });
    assert.deepEqual(
      (await list()).map(({ open }) => open),
      [1],
    );
    await anEvent(database(), { fingerprint: 'v1:b' });
    assert.equal((await show('v1:b')).open, 1);
  });

  it('answer a merge with the group that counts both from then on', async () => {
    const merge = { into: 'v1:a', reason: 'the same cause' };
    const { fingerprint, open } = (await api().post<Group>('/groups/v1:b/merge', merge)).body;
    assert.deepEqual([fingerprint, open], ['v1:a', 2]);
  });

  it('go on after a group of any time', async () => {
    await database().sql(
      `insert into dlq_error_groups (fingerprint, first_seen_at, last_seen_at)
       select 'v1:old-' || n, '-infinity', now() from generate_series(1, 2) n`,
    );
    const query = { states: groupStates, order: 'first', until: new Date(), limit: 1 } as const;
    const found: ListedGroup[] = [];
    while (found.length < 9) {
      const listed = await listGroups(database().db, { ...query, after: found.at(-1)?.position });
      if (listed.length === 0) break;
      found.push(...listed);
    }
    assert.ok(found.every(({ position }) => groupPosition.test(position)));
    assert.deepEqual(
      found.map(({ fingerprint }) => fingerprint),
      ['v1:a', 'v1:old-2', 'v1:old-1'],
    );
  });

  for (const cursor of ['1e+999~x', `${'9'.repeat(400)}~x`, '1~\0'])
    it(`reject a cursor that is not one of theirs: ${JSON.stringify(cursor).slice(0, 20)}`, async () => {
      const { status } = await api().get(`/groups?cursor=${encodeURIComponent(cursor)}`);
      assert.equal(status, 400);
    });
});
