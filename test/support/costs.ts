import type { Database, Query } from '../../shared/database/database.ts';

/**
 * The cost of a statement on any machine: table and index pages, rows read of dlq_events, and bytes of
 * WAL.
 */
export type Cost = { readonly pages: number; readonly rows: number; readonly walBytes: number };

type Node = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Subplan Name'?: string;
  readonly 'CTE Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'WAL FPI': number;
  readonly 'WAL Bytes': number;
  readonly Plans?: readonly Node[];
};
type Explained = { readonly 'QUERY PLAN': readonly [{ readonly Plan: Node }] };

/**
 * Runs statements with EXPLAIN ANALYZE, without their triggers' pages and WAL, and passes the cost of each to
 * `onCost`. No rows are returned. `isWhole` is false if a checkpoint has added images of whole pages to the
 * WAL.
 */
export function explainAll(
  db: Database,
  onCost: (name: string, cost: Cost & { readonly isWhole: boolean }) => void,
): Database {
  return {
    ...db,
    query: async ({ name = '', text, values = [] }: Query) => {
      const { rows } = await db.query<Explained>({
        text: `explain (analyze, buffers, wal, format json) ${text}`,
        values,
      });
      const plan = rows[0]?.['QUERY PLAN'][0].Plan;
      if (plan) onCost(name, costOf(plan));
      return { fields: [], rows: [] };
    },
  };
}

/**
 * A part that changes rows and is not read by the rest runs after it: its cost is not part of that of the
 * root.
 */
function costOf(plan: Node): Cost & { readonly isWhole: boolean } {
  const nodes = listNodes(plan);
  const scanned = new Set(nodes.map((node) => `CTE ${node['CTE Name']}`));
  const isUnread = (node: Node) =>
    node['Node Type'] === 'ModifyTable' && node['Subplan Name'] && !scanned.has(node['Subplan Name']);
  const parts = nodes.filter((node) => node === plan || isUnread(node));
  const sum = (list: readonly Node[], count: (node: Node) => number) =>
    list.reduce((total, node) => total + count(node), 0);
  return {
    pages: sum(parts, (node) => node['Shared Hit Blocks'] + node['Shared Read Blocks']),
    rows: Math.round(sum(nodes, readRows)),
    walBytes: sum(parts, (node) => node['WAL Bytes']),
    isWhole: sum(parts, (node) => node['WAL FPI']) === 0,
  };
}

function readRows(node: Node): number {
  if (!node['Node Type'].endsWith('Scan') || node['Relation Name'] !== 'dlq_events') return 0;
  return ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 1);
}

function listNodes(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(listNodes)];
}
