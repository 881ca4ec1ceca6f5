import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useApi } from '../../support/api.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

type Listed = { readonly items?: readonly { readonly id: string }[] };

describe('an archived event', () => {
  const database = useDatabase();
  const api = useApi(database);
  let id = '';
  beforeEach(async () => {
    await database().clear();
    id = await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    await database().sql(
      'with moved as (delete from dlq_events returning *) insert into dlq_events_archive select * from moved',
    );
  });
  const restore = (body: object) => api().post<Record<string, unknown>>('/events/restore', body);

  it('is listed in the archive and not among other events', async () => {
    const archived = await api().get<Listed>('/events?archived=true');
    const others = await api().get<Listed>('/events');
    assert.deepEqual([JSON.stringify(archived.body).includes(`"id":"${id}"`), others.status], [true, 200]);
    assert.ok(!JSON.stringify(others.body).includes(`"id":"${id}"`));
  });

  it('is restored with its status, and the audit has the actor and the reason', async () => {
    const { body } = await restore({ ids: [id], reason: 'to look at it once more' });
    assert.deepEqual(body.restored, [id], JSON.stringify(body));
    assert.deepEqual(await database().sql('select id, status from dlq_events'), [
      { id, status: 'FAILED_PERMANENTLY' },
    ]);
    const [entry] = await database().sql(
      'select actor, action, reason, noted.event_id from dlq_audit join dlq_audit_events as noted on audit_id = dlq_audit.id',
    );
    assert.deepEqual(entry, {
      actor: 'local:ann',
      action: 'restore',
      reason: 'to look at it once more',
      event_id: id,
    });
  });

  it('stays in the archive if a request names another id', async () => {
    const { body } = await restore({ ids: ['999'], reason: 'a slip' });
    assert.deepEqual(body.restored, []);
  });

  it('stays in the archive if it was captured again since', async () => {
    const [{ key } = {}] = await database().sql('select event_key as key from dlq_events_archive');
    const again = await anEvent(database(), { event_key: key });
    const { body } = await restore({ ids: [id], reason: 'a slip' });
    assert.deepEqual(body.restored, []);
    const stored = 'select id from dlq_events_archive union all select id from dlq_events';
    assert.deepEqual(await database().sql(stored), [{ id }, { id: again }]);
  });

  it('is not restored without a reason', async () => {
    assert.equal((await restore({ ids: [id] })).status, 400);
  });

  it('reports every id that is none', async () => {
    const ids = ['x', 0, true, 1.5, '9223372036854775808'];
    const { status, body } = await api().post<{ problems: { field: string; remedy: string }[] }>(
      '/events/restore',
      { ids, reason: 'a test' },
    );
    assert.deepEqual(
      [status, ...body.problems.map(({ field, remedy }) => `${field}: ${remedy}`)],
      [
        400,
        'ids[0]: An id is a positive whole number.',
        'ids[1]: An id is a positive whole number.',
        'ids[2]: Give an id as text or as a whole number.',
        'ids[3]: Give a whole number, and one above 2^53 as text.',
        'ids[4]: An id is less than 2^63.',
      ],
    );
  });
});
