import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { useDatabase } from '../support/database.ts';
import { tries } from '../support/sample.ts';

const open = ['PENDING', 'PROCESSING'];
const closed = ['SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED'];
const statuses = [...open, ...closed];
const token = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
const early = '2020-01-01T00:00:00Z';
const late = '2100-01-01T00:00:00Z';

/** Mostly what a column may hold, now and then what it may not. */
function oneOf(fitting: readonly unknown[], unfit: readonly unknown[]) {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...fitting) },
    { weight: 1, arbitrary: fc.constantFrom(...unfit) },
  );
}

/** The columns that one statement sets, with any values. */
const assignments = fc.record<Record<string, unknown>>(
  {
    status: oneOf(statuses, ['retrying', null]),
    lease_token: oneOf([token, null], [token]),
    lease_expires_at: oneOf([early, late, null], [late]),
    processed_at: oneOf([early, late, null], [late]),
    retry_count: oneOf([0, 1, 240], [-1, null]),
    failure_count: oneOf([1, 2], [0, null]),
    max_retries: oneOf([0, 20, null], [-1]),
    source_attempts: oneOf([0, 5, null], [-1]),
    first_failure_at: oneOf([early], [late, null]),
    last_failure_at: oneOf([late], [early, null]),
    failure_kind: oneOf(['transient', 'permanent', 'ambiguous', null], ['unknown']),
  },
  { requiredKeys: [] },
);

type Row = {
  readonly status: string;
  readonly is_open: boolean;
  readonly lease_token: string | null;
  readonly lease_expires_at: Date | null;
  readonly processed_at: Date | null;
  readonly retry_count: number;
  readonly failure_count: number;
  readonly max_retries: number | null;
  readonly source_attempts: number | null;
  readonly failure_kind: string | null;
  readonly first_failure_at: Date;
  readonly last_failure_at: Date;
};

function assertPossible(row: Row): void {
  const isProcessing = row.status === 'PROCESSING';
  assert.ok(statuses.includes(row.status), 'it has one of the five states');
  assert.equal(row.lease_token !== null, isProcessing, 'it has a token exactly while it is processed');
  assert.equal(row.lease_expires_at !== null, isProcessing, 'its lease ends if there is one');
  assert.equal(row.processed_at !== null, closed.includes(row.status), 'it was processed if it is closed');
  assert.equal(row.is_open, open.includes(row.status), 'is_open tells the truth');
  assert.ok(row.retry_count >= 0 && row.failure_count >= 1, 'it failed at least once and was retried or not');
  assert.ok((row.max_retries ?? 0) >= 0 && (row.source_attempts ?? 0) >= 0, 'counts are not negative');
  assert.ok(
    [null, 'transient', 'permanent', 'ambiguous'].includes(row.failure_kind),
    'its failure has a kind',
  );
  assert.ok(row.first_failure_at <= row.last_failure_at, 'its first failure came first');
}

describe('plain SQL', () => {
  const database = useDatabase();

  const insert = (columns: Record<string, unknown>) => {
    const row: Record<string, unknown> = { event_type: 'order.created', payload: '{}', ...columns };
    const parameters = Object.keys(row).map((_, i) => `$${i + 1}`);
    const text = `insert into dlq_events (${Object.keys(row)}) values (${parameters}) returning *`;
    return database().sql<Row & { id: string }>(text, Object.values(row));
  };
  const update = (id: string, columns: Record<string, unknown>) => {
    const sets = ['updated_at = now()', ...Object.keys(columns).map((name, i) => `${name} = $${i + 2}`)];
    const text = `update dlq_events set ${sets} where id = $1 returning *`;
    return database().sql<Row & { id: string }>(text, [id, ...Object.values(columns)]);
  };

  /** Undefined where a constraint refused the statement. */
  const attempt = async <T>(statement: Promise<T[]>): Promise<T | undefined> => {
    try {
      return (await statement)[0];
    } catch (error) {
      assert.ok(error instanceof Error && 'code' in error && /^23/.test(String(error.code)), String(error));
      return undefined;
    }
  };

  it('cannot store an event in an impossible state', async () => {
    const everything = fc.asyncProperty(assignments, fc.array(assignments), async (columns, changes) => {
      const inserted = (await attempt(insert(columns))) ?? (await attempt(insert({})));
      assert.ok(inserted);
      assertPossible(inserted);
      for (const change of changes) {
        const updated = await attempt(update(inserted.id, change));
        if (updated) assertPossible(updated);
      }
    });
    await fc.assert(everything, { numRuns: tries(300) });
  });

  it('may set any status without a lease: a trigger completes the row', async () => {
    for (const from of statuses) {
      for (const to of statuses) {
        const [inserted] = await insert({ status: from });
        assert.ok(inserted);
        const [updated] = await update(inserted.id, { status: to });
        assert.ok(updated);
        assertPossible(updated);
        assert.deepEqual([inserted.status, updated.status], [from, to]);
      }
    }
  });

  it('cannot set a count so high that the next one ends a tick', async () => {
    for (const column of ['retry_count', 'failure_count', 'delivery_count'])
      await assert.rejects(insert({ [column]: 2_147_483_647 }), { code: '23514' });
  });

  it('cannot store the same event twice', async () => {
    await insert({ event_key: 'id:order-1' });
    await assert.rejects(insert({ event_key: 'id:order-1' }), { code: '23505' });
  });
});
