import pg from 'pg';
import type { Database } from '../../shared/database/database.ts';
import { bind, parseStatement } from '../../shared/database/statement.ts';
import { toCondition } from '../../shared/events/filter/filter-condition.ts';
import type { Filter } from '../../shared/events/filter/filter-schema.ts';
import { firstPosition } from '../../shared/events/filter/page-position.ts';
import { listEvents } from '../../shared/events/list-events.ts';
import type { TestDatabase } from './database.ts';
import { readStatement, readWholeStatement } from './statements.ts';

type Node = {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
};
type Plan = Node & { readonly Plans?: readonly Plan[] };

/**
 * Returns how PostgreSQL plans to read a table, by default dlq_events, for a statement of shared/: the names
 * of indexes, and `Seq Scan` for the whole table. Both with the given values and with the generic plan, which
 * PostgreSQL may use after five executions.
 */
export async function explainReads(
  { sql }: TestDatabase,
  name: string,
  params: Record<string, unknown>,
  table = 'dlq_events',
): Promise<string[]> {
  const parsed = parseStatement(readStatement(name));
  const { text } = parsed;
  const values = bind(name, parsed, params);
  const custom = await sql<Explained>(`explain (format json) ${text}`, values);
  const generic = await sql<Explained>(`explain (generic_plan, format json) ${text}`);
  return nameReads([custom, generic].flat(), table);
}

/** Returns the same for all events that a filter matches. */
export async function explainFilter({ sql }: TestDatabase, filter: Filter): Promise<string[]> {
  const { text, values } = toCondition(filter, { now: new Date(), first: 1 });
  const select = `select id from dlq_events as event where ${text}`;
  return nameReads(await sql<Explained>(`explain (format json) ${select}`, [...values]));
}

function nameReads(explained: readonly Explained[], table = 'dlq_events'): string[] {
  const nodes = explained.flatMap((row) => listNodes(row['QUERY PLAN'][0].Plan));
  return [...new Set(nodes.flatMap((node) => nameRead(node, table)))].sort();
}

/**
 * Counts the rows of dlq_events that PostgreSQL reads for a statement of shared/, with the plan for these
 * values and with the generic plan. The statement is rolled back.
 */
export async function countReads(
  database: TestDatabase,
  name: string,
  params: Record<string, unknown>,
): Promise<{ custom: number; generic: number }> {
  const [custom = [], generic = []] = await analyze(database, name, { params, modes: ['custom', 'generic'] });
  return { custom: sumReads(custom), generic: sumReads(generic) };
}

/**
 * Counts the pages that PostgreSQL reads for a statement of shared/, those twice that are read twice. It is
 * rolled back.
 */
export async function countPages(
  database: TestDatabase,
  name: string,
  params: Record<string, unknown>,
): Promise<number> {
  const [explained] = await analyze(database, name, { params, modes: ['custom'] });
  const plan = explained?.[0]?.['QUERY PLAN'][0].Plan;
  return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
}

/**
 * Counts the pairs of rows that PostgreSQL compares in vain, one by one, to join them for a statement of
 * shared/: the most of the plan with these values and of the generic plan.
 */
export async function countVainComparisons(
  database: TestDatabase,
  name: string,
  params: Record<string, unknown>,
): Promise<number> {
  return sumNodes(
    database,
    { name, params, of: /Join|Nested Loop/ },
    (node) => (node['Rows Removed by Join Filter'] ?? 0) + (node['Rows Removed by Filter'] ?? 0),
  );
}

/**
 * Counts the rows of tables, functions and parts of a statement of shared/ that PostgreSQL scans for it, those
 * twice that are scanned twice: the most of the plan with these values and of the generic plan.
 */
export async function countScanned(
  database: TestDatabase,
  name: string,
  params: Record<string, unknown>,
): Promise<number> {
  return sumNodes(database, { name, params, of: /Scan$/ }, (node) => node['Actual Rows'] ?? 0);
}

type Summed = { readonly name: string; readonly params: Record<string, unknown>; readonly of: RegExp };

/** Adds up rows of each execution of the nodes of some types: the most of both plans of a statement. */
async function sumNodes(
  database: TestDatabase,
  { name, params, of }: Summed,
  rowsOf: (node: Node) => number,
): Promise<number> {
  const explained = await analyze(database, name, { params, modes: ['custom', 'generic'] });
  const sums = explained.map((rows) =>
    rows
      .flatMap((row) => listNodes(row['QUERY PLAN'][0].Plan))
      .filter((node) => of.test(node['Node Type']))
      .reduce((sum, node) => sum + rowsOf(node) * (node['Actual Loops'] ?? 1), 0),
  );
  return Math.max(...sums);
}

/** Counts the rows of a table that a statement reads, also within its functions and triggers. It is rolled back. */
export async function countRowsRead({ url }: TestDatabase, table: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const read = `select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = '${table}'`;
    await client.query(`begin; set local dlo.writes_complete_rows = 'on'; ${sql}`);
    const { rows } = await client.query<{ rows: string }>(read);
    return Number(rows[0]?.rows);
  } finally {
    await client.end();
  }
}

type Mode = 'custom' | 'generic';

/** Explains a statement in a session of its own, as each mode plans it. */
async function analyze(
  { url }: TestDatabase,
  name: string,
  { params, modes }: { readonly params: Record<string, unknown>; readonly modes: readonly Mode[] },
): Promise<readonly (readonly Explained[])[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const parsed = parseStatement(readWholeStatement(name));
    const values = bind(name, parsed, params).map((value) =>
      value === null ? 'null' : client.escapeLiteral(String(value)),
    );
    await client.query(`prepare asked as ${parsed.text}`);
    const explained: (readonly Explained[])[] = [];
    for (const mode of modes) {
      await client.query(`begin; set local plan_cache_mode = force_${mode}_plan;
        set local dlo.writes_complete_rows = 'on'`);
      const { rows } = await client.query<Explained>(
        `explain (analyze, buffers, format json) execute asked ${values.length > 0 ? `(${values})` : ''}`,
      );
      await client.query('rollback');
      explained.push(rows);
    }
    return explained;
  } finally {
    await client.end();
  }
}

/**
 * Counts the rows of dlq_events that PostgreSQL reads for the first page of the events that a filter matches.
 */
export function countPageReads(database: TestDatabase, filter: Filter): Promise<number> {
  return countReadsOf(database, (db) => listEvents(db, filter, { ...firstPosition, max: 51 }));
}

/** Counts the rows of dlq_events that PostgreSQL reads for all queries of `work`, which change nothing. */
export async function countReadsOf(
  { db }: TestDatabase,
  work: (db: Database) => Promise<unknown>,
): Promise<number> {
  const explained: Explained[] = [];
  await work({
    ...db,
    query: async (query) => {
      const { text, values = [] } = query;
      if (!text.startsWith('explain')) {
        const { rows } = await db.query<Explained>({
          text: `explain (analyze, format json) ${text}`,
          values,
        });
        explained.push(...rows);
      }
      return db.query(query);
    },
  });
  return sumReads(explained);
}

function sumReads(explained: readonly Explained[]): number {
  const nodes = explained.flatMap((row) => listNodes(row['QUERY PLAN'][0].Plan));
  return nodes.reduce((sum, node) => sum + countRead(node), 0);
}

/** Rows of a table, or entries of a bitmap. */
function countRead(node: Node): number {
  const source = node['Relation Name'] ?? node['Index Name'] ?? '';
  if (!node['Node Type'].endsWith('Scan') || !source.startsWith('dlq_events')) return 0;
  const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
  return Math.ceil(rows * (node['Actual Loops'] ?? 1));
}

type Explained = { readonly 'QUERY PLAN': readonly [{ readonly Plan: Plan }] };

function listNodes(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(listNodes)];
}

function nameRead(node: Node, table: string): string[] {
  // A plan node that reads an index only names no table; the name of the index begins with it.
  if (!(node['Relation Name'] ?? node['Index Name'] ?? '').startsWith(table)) return [];
  // The heap scan of a bitmap reads the rows that its index scan, counted by itself, has found.
  if (node['Node Type'] === 'Bitmap Heap Scan') return [];
  const isBitmap = node['Node Type'] === 'Bitmap Index Scan';
  if (node['Index Name']) return [isBitmap ? `bitmap of ${node['Index Name']}` : node['Index Name']];
  return node['Node Type'].includes('Scan') && node['Relation Name'] ? [node['Node Type']] : [];
}
