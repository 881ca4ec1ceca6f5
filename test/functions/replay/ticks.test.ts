import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useApi } from '../../support/api.ts';
import { useDatabase } from '../../support/database.ts';

describe('ticks in the API', () => {
  const database = useDatabase();
  const api = useApi(database);

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
