import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';

// The capture order is the reverse of the failure order; consecutive events are an hour apart.
describe('event search by time', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const count = 120;
  before(() =>
    database().sql(
      `insert into dlq_events (event_type, payload, created_at, first_failure_at, last_failure_at)
       select 'order', '{}', now() - n * interval '1 hour', '-infinity', now() - (${count} - n) * interval '1 hour'
       from generate_series(1, ${count}) n`,
    ),
  );
  const read = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  const listIds = (page: string) =>
    [...page.matchAll(/class="title" href="events\/(\d+)"/g)].map(([, id]) => Number(id));
  const readAll = async (query: string) => {
    const found: number[] = [];
    for (let path: string | undefined = `events?q=${query}`; path; ) {
      const page = await read(path);
      found.push(...listIds(page));
      path = /href="([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
    }
    return found;
  };
  const ascending = Array.from({ length: count }, (_, i) => i + 1);

  for (const [query, heading, expected] of [
    ['failed:%3E300h', 'Failed', ascending.toReversed()],
    ['captured:%3E300h', 'Captured', ascending],
    ['type:order', 'Captured', ascending.toReversed()],
  ] as const) {
    it(`pages of a search by time are sorted by that time and show it: ${decodeURIComponent(query)}`, async () => {
      assert.deepEqual(await readAll(query), expected);
      assert.match(await read(`events?q=${query}`), new RegExp(`<th class="num wide-only">${heading}</th>`));
    });
  }

  it('an invalid position in the address shows the first page', async () => {
    const first = listIds(await read('events?q=failed:%3E300h'));

    assert.deepEqual(listIds(await read('events?q=failed:%3E300h&before=nowhere')), first);
  });
});
