import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { AuditEntry } from '../../../shared/events/audit.ts';
import { useApi } from '../../support/api.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

type Page = { readonly items: readonly AuditEntry[]; readonly next: string | null };

describe('the audit', () => {
  const database = useDatabase();
  const api = useApi(database);
  beforeEach(() => database().clear());
  const list = async (query = '') => (await api().get<Page>(`/audit${query}`)).body;
  const discard = async (filter: object) => {
    const { body } = await api().post<{ auditId: string }>('/events/discard', {
      filter,
      reason: 'schema was wrong',
    });
    return body.auditId;
  };
  const idsOf = ({ items }: Page) => items.map(({ id }) => id);

  it('has the actor, action, time, reason and outcome of an action', async () => {
    await anEvent(database());
    const id = await discard({ eventType: 'order.*', failedAfter: '2025-01-01' });

    const [entry] = (await list()).items;
    const expected = {
      id,
      actor: 'local:ann',
      action: 'discard',
      reason: 'schema was wrong',
      runId: null,
      eventId: null,
      title: null,
    };
    const filter = { eventType: ['order.*'], failedAfter: '2025-01-01T00:00:00.000Z' };
    const sets = { status: 'DISCARDED', processed_at: 'now', lease_token: null, lease_expires_at: null };
    const outcome = { changed: 1, remaining: 0, kept: {} };
    const { at, endedAt, ...rest } = entry ?? {};
    assert.deepEqual(rest, { ...expected, details: { filter, sets }, outcome });
    assert.ok(String(at) <= String(endedAt));
  });

  it('lists the actions since a time, which may be an age', async () => {
    await anEvent(database());
    const id = await discard({ eventType: 'order.*' });
    await database().sql(
      `insert into dlq_audit (actor, action, at) values ('eve', 'note', now() - interval '2 days')`,
    );
    assert.deepEqual(idsOf(await list('?since=1d')), [id]);
    assert.equal((await list('?since=3d')).items.length, 2);
  });

  it('lists the actions on one event: alone, with others, and by a run', async () => {
    const [id, other] = [await anEvent(database()), await anEvent(database(), { event_type: 'other' })];
    const together = await discard({ eventType: 'order.*' });
    await discard({ eventType: 'other' });
    const alone = await database().sql<{ id: string }>(
      `insert into dlq_audit (actor, action, event_id) values ('bob', 'note', $1) returning id`,
      [id],
    );
    const [byRun] = await database().sql<{ id: string }>(
      `with run as (insert into dlq_audit (actor, action, run_id) values ('eve', 'create run', 7) returning id),
       attempt as (
         insert into dlq_attempts (event_id, run_id, number, outcome, target, started_at, duration_ms)
         values ($1, 7, 1, 'delivered', 't', now(), 1))
       select id from run`,
      [id],
    );
    assert.deepEqual(idsOf(await list(`?event=${id}`)), [byRun?.id, alone[0]?.id, together]);
    assert.equal((await list(`?event=${other}`)).items.length, 1);
    assert.deepEqual(idsOf(await list('?run=7')), [byRun?.id]);
    const shown = await api().get<{ audit: Page }>(`/events/${id}`);
    assert.equal(shown.body.audit.items.length, 3);
  });

  it('lists the actions on one error group, and on those merged into it', async () => {
    const insert = (details: object) =>
      database().sql<{ id: string }>(
        `insert into dlq_audit (actor, action, details) values ('ann', 'note', $1) returning id`,
        [details],
      );
    await database().sql(
      `insert into dlq_error_groups (fingerprint, first_seen_at, last_seen_at, merged_into) values
         ('v2:a', now(), now(), null), ('v2:b', now(), now(), 'v2:a')`,
    );
    const own = [...(await insert({ fingerprint: 'v2:a' })), ...(await insert({ fingerprint: 'v2:b' }))];
    await insert({ fingerprint: 'v2:other' });

    const ids = own.map(({ id }) => id);
    assert.deepEqual(idsOf(await list('?fingerprint=v2:a')), ids.toReversed());
    assert.deepEqual(idsOf(await list('?fingerprint=v2:b')), ids.slice(1));
  });

  it('lists an interrupted action without an outcome', async () => {
    await database().sql(`insert into dlq_audit (actor, action) values ('ann', 'discard')`);

    const [entry] = (await list()).items;
    assert.deepEqual([entry?.outcome, entry?.endedAt], [null, null]);
  });

  it('is listed in pages', async () => {
    await database().sql(
      `insert into dlq_audit (actor, action) select 'ann', 'note' from generate_series(1, 5)`,
    );
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.next}`);
    const third = await list(`?limit=2&cursor=${second.next}`);

    const all = (await list()).items.map(({ id }) => id);
    assert.deepEqual([...idsOf(first), ...idsOf(second), ...idsOf(third)], all);
    assert.deepEqual([all.length, third.next], [5, null]);
  });

  it('rejects a malformed id', async () => {
    assert.equal((await api().get('/audit?event=x')).status, 400);
  });
});
