import type pg from 'pg';
import { readStatement } from './read-statement.ts';

/** A statement of a consumer that changes a row of the page waits as long. */
const goalMs = 150;
/** Below this size, a page costs about the same whatever its size, unless rows are large. */
const ordinarySize = 1000;
const maxSmallMs = 2000;
const firstSize = 100;
const maxSize = 20_000;

type Page = { readonly lastId: string | null; readonly rows: number; readonly ids: readonly string[] };

/**
 * Copies the rows of a table that are not copied yet, in pages of some 150 ms, each in a transaction of its own. Calls `report`
 * with the number of rows of each page. A killed copy continues with the next call.
 */
export async function copyRows(
  client: pg.Client,
  table: string,
  report: (rows: number) => void,
): Promise<void> {
  const statement = (await readStatement('copy-page')).replaceAll('{table}', table);
  const { rows } = await client.query('select last_id from public.dlq_adoption where name = $1', [table]);
  let lastId: string | null = rows[0]?.last_id ?? null;
  for (let size = firstSize; ; ) {
    const began = performance.now();
    const page = await inTransaction(client, async () => {
      const { rows: pages } = await client.query<Page>(statement, [lastId, size]);
      const found = pages[0] as Page;
      await client.query(`select public.adopting_copy_${table}($1)`, [found.ids]);
      await client.query('update public.dlq_adoption set last_id = $2, rows = rows + $3 where name = $1', [
        table,
        found.lastId ?? lastId,
        found.rows,
      ]);
      return found;
    });
    if (page.lastId === null) return;
    lastId = page.lastId;
    size = adaptSize(size, performance.now() - began);
    report(page.rows);
  }
}

/** The size of the next page, after one that took `ms`: at most twice, and at least half of the last. */
function adaptSize(size: number, ms: number): number {
  const fitting = Math.max((size * goalMs) / ms, Math.min((size * maxSmallMs) / ms, ordinarySize));
  return Math.ceil(Math.min(Math.max(fitting, size / 2), 2 * size, maxSize));
}

/** Copies rows that were noted for later, up to 1,000 in one transaction. Returns how many are left. */
export function copyPending(client: pg.Client, table: string): Promise<number> {
  return inTransaction(client, () => copyNoted(client, table));
}

/** The same within the caller's transaction. */
export async function copyNoted(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ ids: string[] }>(
    `with noted as materialized (select distinct id from public.dlq_adoption_pending where name = $1 limit 1000),
     locked as materialized (select id from public.${table} where id in (select id from noted) for no key update skip locked)
     select array(
       select id::text from locked
       union all
       select id::text from noted where not exists (select from public.${table} as source where source.id = noted.id)) as ids`,
    [table],
  );
  const ids = rows[0]?.ids ?? [];
  // In this order: an id that is noted after the deletion stays.
  await client.query('delete from public.dlq_adoption_pending where name = $1 and id = any ($2)', [
    table,
    ids,
  ]);
  await client.query(`select public.adopting_copy_${table}($1)`, [ids]);
  const left = await client.query(
    'select count(*)::int as rows from public.dlq_adoption_pending where name = $1',
    [table],
  );
  return left.rows[0].rows;
}

/** A page that is lost in a crash is copied again; the commit of the swap makes all of them durable. */
async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin; set local synchronous_commit = off');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
