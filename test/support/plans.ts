import { readFileSync } from 'node:fs';
import { parseStatement } from '../../shared/sql.ts';
import type { TestDatabase } from './database.ts';

type Node = {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
};
type Plan = Node & { readonly Plans?: readonly Plan[] };

/**
 * How PostgreSQL would read dlq_events for a statement of shared/sql: the names of the indexes, and `Seq Scan` where
 * it would read the whole table. Both for the values given and for a plan made once for any value, which PostgreSQL
 * may use after a statement was run a few times.
 */
export async function explainReads(
  { sql }: TestDatabase,
  name: string,
  params: Record<string, unknown>,
): Promise<string[]> {
  const file = readFileSync(new URL(`../../shared/sql/${name}.sql`, import.meta.url), 'utf8');
  const { text, parameters } = parseStatement(file);
  const values = parameters.map((parameter) => params[parameter]);
  const custom = await sql<Explained>(`explain (format json) ${text}`, values);
  const generic = await sql<Explained>(`explain (generic_plan, format json) ${text}`);
  const nodes = [custom, generic].flatMap(([row]) => (row ? listNodes(row['QUERY PLAN'][0].Plan) : []));
  return [...new Set(nodes.flatMap(nameRead))].sort();
}

type Explained = { readonly 'QUERY PLAN': readonly [{ readonly Plan: Plan }] };

function listNodes(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(listNodes)];
}

function nameRead(node: Node): string[] {
  if ((node['Relation Name'] ?? 'dlq_events') !== 'dlq_events') return [];
  if (node['Index Name']) return [node['Index Name']];
  return node['Node Type'].includes('Scan') && node['Relation Name'] ? [node['Node Type']] : [];
}
