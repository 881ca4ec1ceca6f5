import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Problem } from '../../../../shared/errors.ts';
import type { EventSummary } from '../../../../shared/events/event-columns.ts';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';
import { anEvent } from '../../../support/factories.ts';

type Page = { readonly items: readonly EventSummary[]; readonly next: string | null };

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

describe('the list of events', () => {
  const database = useDatabase();
  const api = useApi(database);
  const ids: string[] = [];
  before(async () => {
    for (let i = 0; i < 5; i++)
      ids.unshift(await anEvent(database(), { event_type: 'order.created', source_key: `${i}` }));
    await anEvent(database(), {
      event_type: 'invoice.created',
      status: 'DISCARDED',
      first_failure_at: hoursAgo(50),
      last_failure_at: hoursAgo(48),
    });
  });
  const list = async (query: Record<string, string>) =>
    (await api().get<Page>(`/events?${new URLSearchParams(query)}`)).body;
  const q = 'type:order.*';
  const idsOf = ({ items }: Page) => items.map(({ id }) => id);

  it('has the events of a filter in pages, the newest first', async () => {
    const pages: Page[] = [];
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.next ?? null) {
      pages.push(await list({ q, limit: '2', ...(cursor && { cursor }) }));
    }

    assert.deepEqual(pages.map(idsOf), [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  });

  it('has no next page behind a full one that is the last', async () => {
    assert.equal((await list({ q, limit: `${ids.length}` })).next, null);
  });

  it('keeps its pages stable while events are captured', async () => {
    const { next } = await list({ q, limit: '2' });
    const late = await anEvent(database(), { event_type: 'order.created' });

    assert.deepEqual(idsOf(await list({ q, limit: '2', cursor: next ?? '' })), ids.slice(2, 4));
    await database().sql('delete from dlq_events where id = $1', [late]);
  });

  it('has those of a filter as text', async () => {
    const page = await list({ q: 'status:DISCARDED failed:<24h' });

    assert.deepEqual(
      page.items.map(({ eventType }) => eventType),
      ['invoice.created'],
    );
  });

  it('is sorted by the time that the filter names, not by capture', async () => {
    const minutes = [30, 10, 20, 10, 10, 40];
    const late: { id: string; at: number }[] = [];
    for (const ago of minutes) {
      const at = new Date(Date.UTC(2030, 0, 1) - ago * 60_000);
      const times = { created_at: at, first_failure_at: at, last_failure_at: at };
      late.push({ id: await anEvent(database(), { event_type: 'late', ...times }), at: at.getTime() });
    }
    const expected = late.toSorted((a, b) => b.at - a.at || Number(b.id) - Number(a.id)).map(({ id }) => id);

    for (const time of ['failed', 'captured']) {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await list({
          q: `type:late ${time}:>2029-01-01`,
          limit: '2',
          ...(cursor && { cursor }),
        });
        found.push(...idsOf(page));
        cursor = page.next;
      }
      assert.deepEqual(found, expected, time);
    }
    await database().sql(`delete from dlq_events where event_type = 'late'`);
  });

  it('continues after an event with an id of nineteen digits', async () => {
    const ids = ['1795302445375463425', '1795302445375463424'];
    for (const id of ids) await anEvent(database(), { id, event_type: 'adopted' });
    const { next } = await list({ q: 'type:adopted', limit: '1' });

    assert.deepEqual(idsOf(await list({ q: 'type:adopted', cursor: next ?? '' })), ids.slice(1));
    await database().sql(`delete from dlq_events where event_type = 'adopted'`);
  });

  it('shortens a long error to 1000 characters', async () => {
    const id = await anEvent(database(), { event_type: 'long', error_reason: 'x'.repeat(5000) });

    assert.equal((await list({ q: `id:${id}` })).items[0]?.errorReason.length, 1000);
  });

  for (const [query, problem] of [
    [{ limit: '501' }, 'limit: Use a whole number from 1 to 500.'],
    [{ limit: '-1' }, 'limit: Use a whole number from 1 to 500.'],
    [{ cursor: 'nonsense' }, 'cursor: Give the "next" of the page before, as it is, or leave it out.'],
    [{ page: '2' }, 'page: No such field: correct its name or remove it.'],
    [{ q: 'type:a "open' }, 'q: Close this quote.'],
    [
      { q: 'failed:>1h failed:<2000-01-01' },
      'q.failedAfter: Must be earlier than failedBefore: as it is, nothing can match.',
    ],
    [{ filter: '{}' }, 'filter: No such field: correct its name or remove it.'],
  ] as const) {
    it(`rejects ${JSON.stringify(query)}`, async () => {
      const { status, body } = await api().get<{ problems: Problem[] }>(
        `/events?${new URLSearchParams(query)}`,
      );

      assert.deepEqual(
        [status, body.problems.map(({ field, remedy }) => `${field}: ${remedy}`)],
        [400, [problem]],
      );
    });
  }

  it('rejects a repeated parameter', async () => {
    const { body } = await api().get<{ problems: Problem[] }>('/events?limit=1&limit=2');

    assert.deepEqual(
      body.problems.map(({ remedy }) => remedy),
      ['Give it once.'],
    );
  });
});

describe('a costly query', () => {
  const database = useDatabase();
  const api = useApi(database, { costLimit: 200 });
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, error_reason, source_kind, event_id)
       select 'order.created', jsonb_build_object('n', n), 'timeout', 'test', 'event-' || n
       from generate_series(1, 8000) n`,
    );
    await database().sql('analyze dlq_events');
  });
  const ask = (path: string) => api().get<{ code: string; detail: string }>(path);

  it('is rejected with advice how to narrow the filter', async () => {
    const { status, body } = await ask('/events?q=subscription:s');

    assert.deepEqual([status, body.code], [422, 'TOO_COSTLY']);
    assert.match(
      body.detail,
      /would cost about \d+ to find about 1 events, and FILTER_COST_LIMIT is 200\. Narrow the filter with a later failedAfter, such as "24h", or a status/,
    );
  });

  it('is answered if an index serves it', async () => {
    for (const q of [
      '',
      'key:k',
      'fingerprint:f',
      'id:7',
      'status:FAILED_PERMANENTLY type:a',
      'failed:>1s',
      'type:order.created',
    ]) {
      assert.equal((await ask(`/events?${new URLSearchParams({ q })}`)).status, 200, q);
    }
  });

  it('is judged by the whole table if the planner cannot estimate the matches', async () => {
    assert.equal((await ask('/events?q=payload:{"n":1}')).status, 422);
    assert.equal((await ask('/events?q=payload:{"n":1} id:7')).status, 200);
  });

  it('is not an action that has to change many events', async () => {
    const action = { filter: { eventType: 'order.*', errorText: 'timeout' }, reason: 'a test', dryRun: true };
    const { status, body } = await api().post<{ remaining: number }>('/events/discard', action);

    assert.deepEqual([status, body.remaining], [200, 8000]);
  });

  it('is rejected in an action as well, before any change', async () => {
    const action = { filter: { payload: { n: 1 } }, reason: 'a test' };
    for (const dryRun of [true, false])
      assert.equal((await api().post('/events/discard', { ...action, dryRun })).status, 422);

    assert.deepEqual(await database().sql('select from dlq_audit'), []);
  });
});
