// Prints one markdown table: what each layout costs in capture, drain and space. Rounds are interleaved over the layouts, figures are
// medians, rates are ratios to the first layout measured in the same round.
//   node bench/table-layout/measure.ts [rounds] [layouts whose name starts with ...]
import type pg from 'pg';
import { withDatabase } from './database.ts';
import { eventsOf, type Size, sizes } from './events.ts';
import { type Layout, layouts } from './layouts.ts';
import { captureAll, costOf, createLayout, drain, empty, sizeOf, updateCounts } from './workload.ts';

const rounds = Number(process.argv[2] ?? 5);
const wanted = layouts.filter(
  ({ name }) => process.argv.length < 4 || process.argv.slice(3).some((start) => name.startsWith(start)),
);

type Figures = Record<string, number>;

async function measureRound(clients: [pg.Client, pg.Client], layout: Layout, size: Size): Promise<Figures> {
  const [client] = clients;
  const metrics: Figures = {};

  async function fill(batch: number, label?: string, scattered = false) {
    const all = eventsOf(size, scattered);
    const events = batch === 1 ? all.slice(0, 400) : all;
    await empty(client, layout);
    const cost = await costOf(client, () => captureAll(client, layout, events, batch));
    await client.query(`ANALYZE ${layout.split ? 'dlq_facts, dlq_states' : 'dlq_events'}`);
    if (label === undefined) return;
    metrics[`${label} rate`] = events.length / cost.seconds;
    metrics[`${label} WAL`] = cost.walBytes / events.length;
  }

  async function drained(workers: pg.Client[], label: string, withAttempts = false) {
    const before = await updateCounts(clients, layout);
    const count = sizes[size].rows;
    const cost = await costOf(client, () =>
      Promise.all(workers.map((worker) => drain(worker, layout, withAttempts))),
    );
    const after = await updateCounts(clients, layout);
    metrics[`${label} rate`] = count / cost.seconds;
    metrics[`${label} WAL`] = cost.walBytes / count;
    metrics[`${label} HOT`] = (after.hot - before.hot) / (after.updates - before.updates);
  }

  await fill(1, 'capture 1');
  await fill(500, 'capture 500');
  const space = await sizeOf(client, layout);
  for (const [part, bytes] of Object.entries(space)) metrics[part] = bytes / sizes[size].rows;
  await drained([client], 'drain 1');
  await fill(100, 'capture 100');
  await drained(clients, 'drain 2');
  await fill(500);
  await drained([client], 'attempts', true);
  await fill(500, undefined, true);
  await drained([client], 'scattered');
  await fill(500);
  await client.query('CHECKPOINT');
  await drained([client], 'cold');
  return metrics;
}

const median = (numbers: number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;

const RATES = ['capture 1', 'capture 100', 'capture 500', 'drain 1', 'drain 2', 'attempts', 'scattered'];
const WAL = ['capture 1', 'capture 500', 'drain 1', 'drain 2', 'attempts', 'scattered', 'cold'];
const HEADINGS = [
  'size',
  'layout',
  ...RATES.map((name) => `${name} x`),
  ...WAL.map((name) => `${name} WAL B`),
  'HOT drain 1',
  'HOT scattered',
  'heap B',
  'toast B',
  'index B',
  'drain 1 /s',
  'capture 100 /s',
];

function printSize(size: Size, results: Map<string, Figures[]>): void {
  const baseline = results.get((wanted[0] as Layout).name) as Figures[];
  for (const [name, metrics] of results) {
    const of = (key: string) => median(metrics.map((one) => one[key] as number));
    const ratio = (key: string) =>
      median(metrics.map((one, n) => (one[key] as number) / (baseline[n]?.[key] as number)));
    const cells = [
      size,
      name,
      ...RATES.map((key) => ratio(`${key} rate`).toFixed(2)),
      ...WAL.map((key) => of(`${key} WAL`).toFixed(0)),
      ...['drain 1 HOT', 'scattered HOT'].map((key) => `${(100 * of(key)).toFixed(0)} %`),
      ...['heap', 'toast', 'indexes', 'drain 1 rate', 'capture 100 rate'].map((key) => of(key).toFixed(0)),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

await withDatabase(async (connect) => {
  const clients = new Map<Layout, [pg.Client, pg.Client]>();
  for (const layout of wanted) {
    const pair: [pg.Client, pg.Client] = [await connect(layout.schema), await connect(layout.schema)];
    await createLayout(pair[0], layout);
    clients.set(layout, pair);
  }
  console.log(`| ${HEADINGS.join(' | ')} |\n|${'---|'.repeat(HEADINGS.length)}`);
  for (const size of Object.keys(sizes) as Size[]) {
    const results = new Map<string, Figures[]>();
    for (let round = 0; round < rounds; round++)
      for (const [layout, pair] of clients) {
        const metrics = await measureRound(pair, layout, size);
        results.set(layout.name, [...(results.get(layout.name) ?? []), metrics]);
      }
    printSize(size, results);
  }
  for (const [layout, [client]] of clients) await client.query(`DROP SCHEMA ${layout.schema} CASCADE`);
});
