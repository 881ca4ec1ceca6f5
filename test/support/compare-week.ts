import assert from 'node:assert/strict';
import { compareDepths, sumHours } from './counts.ts';
import type { TestDatabase } from './database.ts';
import type { Week } from './operators-week.ts';

/** Moves every stored time into the past. */
export async function passTime({ sql }: TestDatabase, week: Week, hours: number): Promise<void> {
  week.now += hours;
  const shift = (table: string, ...columns: string[]) =>
    sql(
      `update ${table} set ${columns.map((column) => `${column} = ${column} - make_interval(hours => $1)`)}`,
      [hours],
    );
  await shift(
    'dlq_events',
    'created_at',
    'first_failure_at',
    'last_failure_at',
    'retry_after',
    'processed_at',
    'updated_at',
    'reopened_at',
  );
  await shift('dlq_audit_events', 'at', 'retry_after', 'processed_at', 'reopened_at');
  await shift('dlq_attempts', 'started_at');
}

/** Compares each event, the deliveries and the counts with the model. `told`: the steps so far. */
export async function compareWeek(database: TestDatabase, week: Week, told: string): Promise<void> {
  const { sql } = database;
  const rows = await sql(
    `select id, status, priority, retry_count as retries, delivery_count as deliveries, edited_from as "editedFrom",
       case when status = 'PENDING' then round(extract(epoch from retry_after - now()) / 3600)::int end as "dueIn",
       coalesce(convert_from(body, 'UTF8'), payload::text) as body
     from dlq_events order by id`,
  );
  const predicted = week.events
    .filter(({ status }) => status !== 'ARCHIVED')
    .toSorted((a, b) => Number(a.id) - Number(b.id))
    .map(({ id, status, priority, retries, deliveries, editedFrom, dueAt, body }) => {
      const dueIn = status === 'PENDING' ? dueAt - week.now : null;
      return { id, status, priority, retries, deliveries, editedFrom, dueIn, body };
    });
  assert.deepEqual(rows, predicted, told);
  const { captures, deliveries, discards } = await sumHours(database);
  const { captures: c = 0, ...others } = week.counted;
  assert.deepEqual(
    { captures: captures ?? 0, deliveries: deliveries ?? 0, discards: discards ?? 0 },
    { captures: c, ...others },
    told,
  );
  const depths = await compareDepths(database);
  assert.deepEqual(depths.reported, depths.found, told);
}
