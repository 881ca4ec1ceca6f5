import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import { useApi } from '../../support/api.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('counts and ticks in the API', () => {
  const database = useDatabase();
  const api = useApi(database);

  it('failures over time have the start of their minute, of all events or of one error', async () => {
    const at = new Date(Math.floor(Date.now() / 60_000 - 20) * 60_000);
    const failed = { created_at: at, first_failure_at: at, last_failure_at: at };
    await anEvent(database(), { ...failed, fingerprint: 'v1:a' });
    await anEvent(database(), { ...failed, fingerprint: 'v1:b' });
    await aggregateCounts(database().db);
    const count = async (query: string) =>
      (await api().get<{ items: object[] }>(`/counts?${query}`)).body.items;

    assert.deepEqual(await count('range=1h'), [{ at: at.toISOString(), failures: 2, deliveries: null }]);
    const hour = new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000).toISOString();
    assert.deepEqual(await count('range=1h&fingerprint=v1:b'), [{ at: hour, failures: 1, deliveries: 0 }]);
    assert.deepEqual(await count('range=7d&fingerprint=v1:c'), []);
  });

  it('ticks that claimed events are listed in pages, the newest first', async () => {
    await database().sql(
      `insert into dlq_runs (trigger, started_at, ended_at, stopped, tally)
       select 'schedule', now(), now(), 'nothing due', json_build_object('claimed', n) from generate_series(0, 3) as n`,
    );
    type Page = { readonly items: { readonly tally: { readonly claimed: number } }[]; readonly next: string };
    const first = (await api().get<Page>('/schedule/ticks?limit=2')).body;
    const second = (await api().get<Page>(`/schedule/ticks?limit=2&cursor=${first.next}`)).body;

    assert.deepEqual(
      [first, second].map(({ items }) => items.map(({ tally }) => tally.claimed)),
      [[3, 2], [1]],
    );
  });
});
