import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Database } from '../../shared/database.ts';
import { listEvents } from '../../shared/event-pages.ts';
import { toCondition } from '../../shared/filter/filter-condition.ts';
import type { Filter } from '../../shared/filter/filter-schema.ts';
import { firstPosition } from '../../shared/latest-first.ts';
import { parseStatement } from '../../shared/sql.ts';
import type { TestDatabase } from './database.ts';

type Node = {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
};
type Plan = Node & { readonly Plans?: readonly Plan[] };

/**
 * How PostgreSQL would read a table, dlq_events unless told, for a statement of shared/sql: the names of the indexes, and
 * `Seq Scan` where it would read the whole table. Both for the values given and for a plan made once for any value, which PostgreSQL
 * may use after a statement was run a few times.
 */
export async function explainReads(
  { sql }: TestDatabase,
  name: string,
  params: Record<string, unknown>,
  table = 'dlq_events',
): Promise<string[]> {
  const { text, parameters } = parseStatement(readStatement(name));
  const values = parameters.map((parameter) => params[parameter]);
  const custom = await sql<Explained>(`explain (format json) ${text}`, values);
  const generic = await sql<Explained>(`explain (generic_plan, format json) ${text}`);
  return nameReads([custom, generic].flat(), table);
}

/** The same for finding all events that a filter matches. */
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
 * How many rows of dlq_events PostgreSQL reads for a statement of shared/sql, by a plan made for these values and by one
 * made for any. What the statement does is taken back.
 */
export async function countReads(
  { url }: TestDatabase,
  name: string,
  params: Record<string, unknown>,
): Promise<{ custom: number; generic: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { text, parameters } = parseStatement(readStatement(name));
    const values = parameters.map((parameter) => client.escapeLiteral(String(params[parameter])));
    await client.query(`prepare asked as ${text}`);
    const count = async (mode: 'custom' | 'generic') => {
      await client.query(`begin; set local plan_cache_mode = force_${mode}_plan`);
      const { rows } = await client.query<Explained>(
        `explain (analyze, format json) execute asked (${values})`,
      );
      await client.query('rollback');
      return sumReads(rows);
    };
    return { custom: await count('custom'), generic: await count('generic') };
  } finally {
    await client.end();
  }
}

/** How many rows of dlq_events PostgreSQL reads for the first page of the events that a filter matches. */
export async function countPageReads({ db }: TestDatabase, filter: Filter): Promise<number> {
  const explained: Explained[] = [];
  const explaining: Database = {
    ...db,
    query: async (query) => {
      const { text, values } = query as { readonly text: string; readonly values: unknown[] };
      const { rows } = await db.query<Explained>({ text: `explain (analyze, format json) ${text}`, values });
      explained.push(...rows);
      return { rows: [] };
    },
  };
  await listEvents(explaining, filter, { ...firstPosition, most: 51 });
  return sumReads(explained);
}

function sumReads(explained: readonly Explained[]): number {
  const nodes = explained.flatMap((row) => listNodes(row['QUERY PLAN'][0].Plan));
  return nodes.reduce((sum, node) => sum + countRead(node), 0);
}

/** The rows themselves, or what a bitmap says of them. */
function countRead(node: Node): number {
  const source = node['Relation Name'] ?? node['Index Name'] ?? '';
  if (!node['Node Type'].endsWith('Scan') || !source.startsWith('dlq_events')) return 0;
  const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
  return Math.ceil(rows * (node['Actual Loops'] ?? 1));
}

function readStatement(name: string): string {
  return readFileSync(new URL(`../../shared/sql/${name}.sql`, import.meta.url), 'utf8');
}

type Explained = { readonly 'QUERY PLAN': readonly [{ readonly Plan: Plan }] };

function listNodes(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(listNodes)];
}

function nameRead(node: Node, table: string): string[] {
  // The part of a plan that only reads an index has no table, but the index has its name.
  if (!(node['Relation Name'] ?? node['Index Name'] ?? '').startsWith(table)) return [];
  // What a bitmap found is read from the table afterwards; which rows these are, its index says.
  if (node['Node Type'] === 'Bitmap Heap Scan') return [];
  const isBitmap = node['Node Type'] === 'Bitmap Index Scan';
  if (node['Index Name']) return [isBitmap ? `bitmap of ${node['Index Name']}` : node['Index Name']];
  return node['Node Type'].includes('Scan') && node['Relation Name'] ? [node['Node Type']] : [];
}
