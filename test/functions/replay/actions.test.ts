import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import type { Problem } from '../../../shared/errors.ts';
import { actions } from '../../../shared/events/actions/actions.ts';
import { useApi } from '../../support/api.ts';
import { useDatabase } from '../../support/database.ts';
import { exampleInputs } from '../../support/example-inputs.ts';
import { anEvent, type EventColumns } from '../../support/factories.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

type Outcome = {
  readonly auditId?: string;
  readonly changed: number;
  readonly kept: { readonly leased?: number };
  readonly remaining: number;
};

const inAnHour = new Date(Date.now() + 3_600_000);
const leased = { status: 'PROCESSING', lease_token: randomUUID(), lease_expires_at: inAnHour };
const lost = { ...leased, lease_expires_at: new Date(Date.now() - 1000) };

describe('an action of the API', () => {
  const database = useDatabase();
  const api = useApi(database);
  beforeEach(() => database().clear());
  const action = async (name: string, body: object) => {
    const request = { filter: { eventType: 'order.*' }, reason: 'schema was wrong', ...body };
    return (await api().post<Outcome>(`/events/${name}`, request)).body;
  };
  const storeAll = async (...all: EventColumns[]) => {
    for (const columns of all) await anEvent(database(), columns);
  };
  const read = (columns: string) => database().sql(`select ${columns} from dlq_events order by id`);
  const statuses = async () => (await read('status')).map(({ status }) => status);

  it('discards pending and permanently failed events, and no others', async () => {
    await storeAll(
      ...['PENDING', 'FAILED_PERMANENTLY', 'SUCCEEDED', 'DISCARDED'].map((status) => ({ status })),
      lost,
      { status: 'PENDING', event_type: 'invoice.created' },
    );
    const { auditId, ...outcome } = await action('discard', {});

    assert.deepEqual(outcome, { dryRun: false, changed: 3, remaining: 0, kept: {} });
    assert.deepEqual(await statuses(), [
      'DISCARDED',
      'DISCARDED',
      'SUCCEEDED',
      'DISCARDED',
      'DISCARDED',
      'PENDING',
    ]);
    const [closed] = await read('processed_at is not null as closed, lease_token, retry_count');
    assert.deepEqual(
      [auditId !== undefined, closed],
      [true, { closed: true, lease_token: null, retry_count: 0 }],
    );
  });

  it('reopens discarded and permanently failed events, due now and with all their retries', async () => {
    const tired = { retry_count: 240, retry_after: inAnHour };
    await storeAll(
      { status: 'DISCARDED', ...tired },
      { status: 'FAILED_PERMANENTLY', ...tired },
      { status: 'SUCCEEDED' },
    );
    const { changed } = await action('reopen', {});

    assert.deepEqual([changed, await statuses()], [2, ['PENDING', 'PENDING', 'SUCCEEDED']]);
    const [reopened] = await read('retry_count, retry_after <= now() as is_due, processed_at');
    assert.deepEqual(reopened, { retry_count: 0, is_due: true, processed_at: null });
  });

  it('reopens no event that an edit replaced, and previews as many', async () => {
    await storeAll({ status: 'PENDING' }, { status: 'DISCARDED' });
    const [first] = await read('id::text');
    const filter = { ids: [String(first?.id)] };
    await aRun(
      { db: database().db, routes: [aRouteTo('http://x/')] },
      { filter, edit: { headers: { x: '1' } } },
    );
    await database().sql("update dlq_events set status = 'SUCCEEDED' where edited_from is not null");

    assert.equal((await action('reopen', { dryRun: true })).remaining, 1);
    assert.equal((await action('reopen', {})).changed, 1);
    assert.deepEqual(await statuses(), ['DISCARDED', 'PENDING', 'SUCCEEDED']);
  });

  it('reopens delivered events only if the filter names their status', async () => {
    await storeAll({ status: 'SUCCEEDED' });

    assert.equal((await action('reopen', {})).changed, 0);
    assert.equal((await action('reopen', { filter: { status: 'SUCCEEDED' } })).changed, 1);
    assert.deepEqual(await statuses(), ['PENDING']);
  });

  it('reprioritizes open events that have another priority', async () => {
    await storeAll({ priority: 0 }, { priority: -5 }, lost, { status: 'FAILED_PERMANENTLY' });
    const { changed, remaining } = await action('reprioritize', { priority: -5 });

    assert.deepEqual([changed, remaining], [2, 0]);
    assert.deepEqual(
      (await read('priority')).map(({ priority }) => priority),
      [-5, -5, -5, 0],
    );
  });

  it('snoozes pending events until a time, and no others', async () => {
    await storeAll({}, { status: 'FAILED_PERMANENTLY' }, leased);
    const until = '2031-02-03T04:05:00Z';
    const first = await action('snooze', { until });
    const again = await action('snooze', { until });

    assert.deepEqual([first.changed, first.kept.leased, again.changed], [1, 1, 0]);
    const [snoozed] = await read('status, retry_after');
    assert.deepEqual(snoozed, { status: 'PENDING', retry_after: new Date(until) });
  });

  for (const each of actions.filter(({ statuses }) => statuses.includes('PENDING'))) {
    it(`counts events that are being delivered, without changing them: ${each.name}`, async () => {
      await storeAll({}, leased);
      const before = (await read('*'))[1];
      const {
        changed,
        kept: { leased: left },
      } = await action(each.name, exampleInputs(each));

      assert.deepEqual([changed, left], [1, 1]);
      assert.deepEqual((await read('*'))[1], before);
    });
  }

  for (const each of actions) {
    it(`reports in a dry run what it would change, and changes nothing: ${each.name}`, async () => {
      const { name } = each;
      const more = exampleInputs(each);
      await storeAll(
        ...['PENDING', 'FAILED_PERMANENTLY', 'DISCARDED', 'SUCCEEDED'].map((status) => ({ status })),
        leased,
      );
      const before = await read('*');
      const preview = await action(name, { ...more, dryRun: true });

      assert.deepEqual(
        [preview.changed, await read('*'), await database().sql('select from dlq_audit')],
        [0, before, []],
      );
      const {
        changed,
        kept: { leased: left },
      } = await action(name, more);
      assert.deepEqual([preview.remaining, preview.kept.leased], [changed, left]);
    });
  }

  it('counts events that another transaction locks as remaining', async () => {
    await storeAll({}, {});
    await whileTransactionIsOpen(
      database().url,
      'select from dlq_events order by id limit 1 for update',
      async () => {
        const { changed, remaining } = await action('discard', {});
        assert.deepEqual([changed, remaining], [1, 1]);
      },
    );
    assert.equal((await action('discard', {})).changed, 1);
  });

  it('changes each event once when requested concurrently', async () => {
    await storeAll(...Array.from({ length: 30 }, () => ({})));
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => action('discard', {})));

    assert.equal(
      outcomes.reduce((sum, { changed }) => sum + changed, 0),
      30,
    );
    const named = await database().sql('select event_id from dlq_audit_events');
    assert.equal(named.length, 30);
  });

  it('replaces characters in a reason that PostgreSQL cannot store', async () => {
    await storeAll({});
    assert.equal((await action('discard', { reason: 'a\0b' })).changed, 1);
    assert.deepEqual(await database().sql('select reason from dlq_audit where closes is null'), [
      { reason: 'a\ufffdb' },
    ]);
  });

  for (const [name, body, problem] of [
    ['discard', { reason: undefined }, 'reason: Required: add it.'],
    ['discard', { reason: ' ' }, 'reason: Give a reason: the audit records it.'],
    [
      'discard',
      { filter: {} },
      'filter: Name at least one condition: a filter without any matches every event.',
    ],
    [
      'discard',
      { filter: { status: 'DISCARDED' } },
      'filter.status: Use a status that this action can change: PENDING, PROCESSING, FAILED_PERMANENTLY.',
    ],
    [
      'discard',
      { filter: { eventtype: 'a' } },
      'filter.eventtype: No such field: correct its name or remove it.',
    ],
    ['discard', { dryrun: true }, 'dryrun: No such field: correct its name or remove it.'],
    [
      'reopen',
      { filter: { status: ['PENDING'] } },
      'filter.status: Use a status that this action can change: FAILED_PERMANENTLY, DISCARDED, SUCCEEDED.',
    ],
    ['reprioritize', {}, 'priority: Required: add it.'],
    ['reprioritize', { priority: 40_000 }, 'priority: Use a whole number from -32768 to 32767.'],
  ] as const) {
    it(`is rejected: ${name} with ${JSON.stringify(body)}`, async () => {
      const request = { filter: { ids: 1 }, reason: 'r', ...body };
      const { status, body: answer } = await api().post<{ problems: Problem[] }>(`/events/${name}`, request);

      assert.deepEqual(
        [status, answer.problems.map(({ field, remedy }) => `${field}: ${remedy}`)],
        [400, [problem]],
      );
    });
  }
});
