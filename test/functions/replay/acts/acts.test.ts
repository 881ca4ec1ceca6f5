import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import type { Problem } from '../../../../shared/errors.ts';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';
import { anEvent, type EventColumns } from '../../../support/factories.ts';
import { whileTransactionIsOpen } from '../../../support/open-transaction.ts';

type Outcome = {
  readonly auditId?: string;
  readonly changed: number;
  readonly leased: number;
  readonly remaining: number;
};

const inAnHour = new Date(Date.now() + 3_600_000);
const leased = { status: 'PROCESSING', lease_token: randomUUID(), lease_expires_at: inAnHour };
const lost = { ...leased, lease_expires_at: new Date(Date.now() - 1000) };

describe('an act on many events', () => {
  const database = useDatabase();
  const api = useApi(database);
  beforeEach(() => database().sql('truncate dlq_events, dlq_audit, dlq_audit_events'));
  const act = async (name: string, body: object) => {
    const asked = { filter: { eventType: 'order.*' }, reason: 'schema was wrong', ...body };
    return (await api().post<Outcome>(`/acts/${name}`, asked)).body;
  };
  const storeAll = async (...all: EventColumns[]) => {
    for (const columns of all) await anEvent(database(), columns);
  };
  const read = (columns: string) => database().sql(`select ${columns} from dlq_events order by id`);
  const statuses = async () => (await read('status')).map(({ status }) => status);

  it('discards what waits and what was given up, and nothing else', async () => {
    await storeAll(
      ...['PENDING', 'FAILED_PERMANENTLY', 'SUCCEEDED', 'DISCARDED'].map((status) => ({ status })),
      lost,
      { status: 'PENDING', event_type: 'invoice.created' },
    );
    const { auditId, ...outcome } = await act('discard', {});

    assert.deepEqual(outcome, { dryRun: false, changed: 3, leased: 0, remaining: 0 });
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

  it('reopens what was discarded or given up, due now and with all its retries', async () => {
    const tired = { retry_count: 240, retry_after: inAnHour };
    await storeAll(
      { status: 'DISCARDED', ...tired },
      { status: 'FAILED_PERMANENTLY', ...tired },
      { status: 'SUCCEEDED' },
    );
    const { changed } = await act('reopen', {});

    assert.deepEqual([changed, await statuses()], [2, ['PENDING', 'PENDING', 'SUCCEEDED']]);
    const [reopened] = await read('retry_count, retry_after <= now() as is_due, processed_at');
    assert.deepEqual(reopened, { retry_count: 0, is_due: true, processed_at: null });
  });

  it('reopens what was delivered only where that is said', async () => {
    await storeAll({ status: 'SUCCEEDED' });

    assert.equal((await act('reopen', {})).changed, 0);
    assert.equal((await act('reopen', { includeSucceeded: true })).changed, 1);
    assert.deepEqual(await statuses(), ['PENDING']);
  });

  it('reprioritises what is open and has another priority', async () => {
    await storeAll({ priority: 0 }, { priority: -5 }, lost, { status: 'FAILED_PERMANENTLY' });
    const { changed, remaining } = await act('reprioritise', { priority: -5 });

    assert.deepEqual([changed, remaining], [2, 0]);
    assert.deepEqual(
      (await read('priority')).map(({ priority }) => priority),
      [-5, -5, -5, 0],
    );
  });

  for (const name of ['discard', 'reprioritise']) {
    it(`leaves alone and counts what is being delivered: ${name}`, async () => {
      await storeAll({}, leased);
      const before = (await read('*'))[1];
      const { changed, leased: left } = await act(name, name === 'discard' ? {} : { priority: 3 });

      assert.deepEqual([changed, left], [1, 1]);
      assert.deepEqual((await read('*'))[1], before);
    });
  }

  for (const [name, more] of [
    ['discard', {}],
    ['reopen', {}],
    ['reprioritise', { priority: 1 }],
  ] as const) {
    it(`tells beforehand what would come of it, and changes nothing: ${name}`, async () => {
      await storeAll(
        ...['PENDING', 'FAILED_PERMANENTLY', 'DISCARDED', 'SUCCEEDED'].map((status) => ({ status })),
        leased,
      );
      const before = await read('*');
      const preview = await act(name, { ...more, dryRun: true });

      assert.deepEqual(
        [preview.changed, await read('*'), await database().sql('select from dlq_audit')],
        [0, before, []],
      );
      const { changed, leased: left } = await act(name, more);
      assert.deepEqual([preview.remaining, preview.leased], [changed, left]);
    });
  }

  it('leaves what somebody else holds, and says that it is still to be done', async () => {
    await storeAll({}, {});
    await whileTransactionIsOpen(
      database().url,
      'select from dlq_events order by id limit 1 for update',
      async () => {
        const { changed, remaining } = await act('discard', {});
        assert.deepEqual([changed, remaining], [1, 1]);
      },
    );
    assert.equal((await act('discard', {})).changed, 1);
  });

  it('is done once, however often it is asked for at the same time', async () => {
    await storeAll(...Array.from({ length: 30 }, () => ({})));
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => act('discard', {})));

    assert.equal(
      outcomes.reduce((sum, { changed }) => sum + changed, 0),
      30,
    );
    const named = await database().sql('select event_id from dlq_audit_events');
    assert.equal(named.length, 30);
  });

  it('keeps a reason that PostgreSQL could not', async () => {
    assert.equal((await act('discard', { reason: 'a\0b' })).changed, 0);
    assert.deepEqual(await database().sql('select reason from dlq_audit where closes is null'), [
      { reason: 'a\ufffdb' },
    ]);
  });

  for (const [name, body, problem] of [
    ['discard', { reason: undefined }, 'reason: Required: add it.'],
    ['discard', { reason: ' ' }, 'reason: Say why: the audit keeps it.'],
    ['discard', { filter: {} }, 'filter: Name at least one condition: without any, every event is meant.'],
    [
      'discard',
      { filter: { status: 'DISCARDED' } },
      'filter.status: Ask for events that this can be done to: PENDING, PROCESSING, FAILED_PERMANENTLY.',
    ],
    [
      'discard',
      { filter: { eventtype: 'a' } },
      'filter.eventtype: No such field: correct its name or remove it.',
    ],
    ['discard', { dryrun: true }, 'dryrun: No such field: correct its name or remove it.'],
    [
      'reopen',
      { filter: { status: ['SUCCEEDED'] } },
      'filter.status: Ask for events that this can be done to: FAILED_PERMANENTLY, DISCARDED.',
    ],
    ['reprioritise', {}, 'priority: Required: add it.'],
    [
      'reprioritise',
      { priority: 40_000 },
      'priority: Give a whole number from -32768 to 32767; the lower goes first.',
    ],
  ] as const) {
    it(`is refused: ${name} with ${JSON.stringify(body)}`, async () => {
      const asked = { filter: { ids: 1 }, reason: 'r', ...body };
      const { status, body: answer } = await api().post<{ problems: Problem[] }>(`/acts/${name}`, asked);

      assert.deepEqual(
        [status, answer.problems.map(({ field, remedy }) => `${field}: ${remedy}`)],
        [400, [problem]],
      );
    });
  }
});
