import type pg from 'pg';
import { toCondition } from '../../shared/events/filter/filter-condition.ts';
import { parseFilterText } from '../../shared/events/filter/parse-filter-text.ts';

export const questions = [
  'id:7,8,9',
  'key:customer-77',
  'type:order.created failed:>24h',
  'failed:>24h',
  'captured:>24h',
  'status:FAILED_PERMANENTLY type:payment.failed',
  'status:FAILED_PERMANENTLY',
  'status:PENDING',
  'error:"timed out #77" failed:>24h',
  'event:evt-77',
  'payload:{"customerId":77}',
];

type Node = {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Total Cost': number;
  readonly 'Plan Rows': number;
  readonly 'Actual Rows': number;
  readonly Plans?: readonly Node[];
};

export type Explained = {
  readonly cost: number;
  readonly rows: number;
  readonly ms: number;
  readonly reads: string;
};

/** How PostgreSQL finds all events that a filter matches, at the second time of asking. */
export async function explain(client: pg.Client, question: string): Promise<Explained> {
  const parsed = parseFilterText(question);
  if (!parsed.ok) throw new Error(question);
  const { text, values } = toCondition(parsed.value, { now: new Date(), first: 1 });
  const sql = `explain (analyze, format json) select id from dlq_events as event where ${text}`;
  await client.query(sql, [...values]);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node; 'Execution Time': number }] }>(sql, [
    ...values,
  ]);
  const explained = rows[0]?.['QUERY PLAN'][0];
  if (!explained) throw new Error('Nothing was explained.');
  const { Plan: plan } = explained;
  const scans = listNodes(plan).filter((node) => node['Node Type'].includes('Scan'));
  const reads = scans.map((node) => node['Index Name'] ?? node['Node Type']).join(', ');
  return { cost: plan['Total Cost'], rows: plan['Actual Rows'], ms: explained['Execution Time'], reads };
}

function listNodes(plan: Node): Node[] {
  return [plan, ...(plan.Plans ?? []).flatMap(listNodes)];
}
