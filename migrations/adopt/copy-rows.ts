import type pg from 'pg';
import { readStatement } from './read-statement.ts';

/** A statement of a consumer that changes a row of the page waits as long. */
const goalMs = 150;
/** Below this size, a page costs about the same whatever its size, unless rows are large. */
const ordinarySize = 1000;
const maxSmallMs = 2000;
const firstSize = 100;
const maxSize = 20_000;
/**
 * A page writes at most some 1 MB of WAL, and its commit waits for the disk: pages that fill the WAL buffers of the server, 4 MB by
 * default, would make every other session wait while a disk is slow, readers included.
 */
const maxWalBytes = 1_000_000;
/** A page of rows that are larger, or a server that is busier, than the page before is rolled back, and made smaller. */
const maxPageMs = 2000;
/** A process that stands still within a page loses its session, and with it the locks on rows. */
const maxIdleMs = 2000;
const maxNoted = 1000;

type Page = {
  readonly lastId: string | null;
  readonly rows: number;
  readonly ids: readonly string[];
  /** The position in the WAL before the page. */
  readonly lsn: string;
};

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
    const page = await inTransaction(client, size > 1 ? maxPageMs : 0, () =>
      copyPage(client, table, statement, lastId, size),
    );
    if (!page) {
      size = Math.ceil(size / 8);
      continue;
    }
    if (page.lastId === null) return;
    lastId = page.lastId;
    size = adaptSize(size, performance.now() - began, page.walBytes);
    report(page.rows);
  }
}

async function copyPage(
  client: pg.Client,
  table: string,
  statement: string,
  after: string | null,
  size: number,
): Promise<Page & { readonly walBytes: number }> {
  const { rows: pages } = await client.query<Page>(statement, [after, size]);
  const page = pages[0] as Page;
  await client.query(`select public.adopting_copy_${table}($1)`, [page.ids]);
  const { rows } = await client.query<{ walBytes: number }>(
    `update public.dlq_adoption set last_id = $2, rows = rows + $3 where name = $1
     returning (pg_current_wal_insert_lsn() - $4::pg_lsn)::float8 as "walBytes"`,
    [table, page.lastId ?? after, page.rows, page.lsn],
  );
  return { ...page, walBytes: rows[0]?.walBytes ?? 0 };
}

/** The size of the next page, after one that took `ms` and wrote WAL: at most twice, and at least half of the last. */
function adaptSize(size: number, ms: number, walBytes: number): number {
  const timely = Math.max((size * goalMs) / ms, Math.min((size * maxSmallMs) / ms, ordinarySize));
  const fitting = Math.min(timely, (size * maxWalBytes) / walBytes);
  return Math.ceil(Math.min(Math.max(fitting, size / 2), 2 * size, maxSize));
}

/** Copies rows that were noted for later. Returns whether there were any; rows that are locked stay noted. */
export async function copyPending(client: pg.Client, table: string): Promise<boolean> {
  let hasCopied = false;
  for (let size = maxNoted; ; ) {
    const done = await inTransaction(client, size > 1 ? maxPageMs : 0, () => copyNoted(client, table, size));
    if (!done) {
      size = Math.ceil(size / 8);
      continue;
    }
    hasCopied ||= done.copied > 0;
    if (done.copied === 0 || done.left === 0) return hasCopied;
  }
}

/** Copies up to `size` noted rows within the caller's transaction. Returns how many, and how many are left. */
export async function copyNoted(
  client: pg.Client,
  table: string,
  size = maxNoted,
): Promise<{ readonly copied: number; readonly left: number }> {
  const { rows } = await client.query<{ ids: string[] }>(
    `with noted as materialized (select distinct id from public.dlq_adoption_pending where name = $1 order by id limit $2),
     locked as materialized (select id from public.${table} where id in (select id from noted) for no key update skip locked)
     select array(
       select id::text from locked
       union all
       select id::text from noted where not exists (select from public.${table} as source where source.id = noted.id)) as ids`,
    [table, size],
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
  return { copied: ids.length, left: left.rows[0].rows };
}

/** Returns undefined if a statement took longer than `maxMs`, and rolls back; 0 is no limit. */
async function inTransaction<T>(
  client: pg.Client,
  maxMs: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  await client.query(
    `begin; set local synchronous_commit = local; set local statement_timeout = ${maxMs};
     set local idle_in_transaction_session_timeout = ${maxIdleMs}`,
  );
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if ((error as pg.DatabaseError).code === '57014' && maxMs > 0) return undefined;
    throw error;
  }
}
