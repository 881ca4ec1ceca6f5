import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
});
