// Prints a markdown table: how long a claim of 50 takes while closed history grows.
//   node bench/table-layout/history.ts [closed rows ...]
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { withDatabase } from './database.ts';
import { type Layout, layouts } from './layouts.ts';
import { claim, settle } from './statements.ts';
import { createLayout } from './workload.ts';

const histories = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 1_000_000];
const COMPARED = ['L0 articles', 'L1 one partial index', 'L3 ff 50', 'L4 two tables', 'L4 open index, ff 50'];
const OPEN_ROWS = 10_000;
const BATCH = 50;

/** $1: status, $2: how many. Small events of 8 lanes, all due. */
function fillStatements(layout: Layout): string[] {
  const facts = [
    'event_type',
    'payload',
    'event_key',
    'body',
    'headers',
    'source_kind',
    'source_topic',
    'consumer_group',
  ];
  const factValues = `'order.state-' || n % 8, jsonb_build_object('order', md5(n::text), 'items', repeat('x', 150)), $1 || sha256(n::text::bytea)::text,
    decode(repeat('ab', 200), 'hex'), jsonb_build_object('traceparent', md5(n::text)), 'kafka', 'orders.prod.state-changes', 'order-hydrator'`;
  const states = ['status', 'retry_after', 'error_reason', 'fingerprint'];
  const stateValues = `$1, now() - interval '1 hour' + n * interval '1 ms', 'hydration failed: 503 from the catalog for ' || md5(n::text), md5(n::text)`;
  if (layout.laneGiven) states.push('lane');
  const lane = layout.laneGiven ? ', n % 8' : '';
  const numbers = 'FROM generate_series(1, $2::int) n';
  if (!layout.split)
    return [
      `INSERT INTO dlq_events (${[...facts, ...states]}) SELECT ${factValues}, ${stateValues}${lane} ${numbers}`,
    ];
  return [
    `WITH f AS (INSERT INTO dlq_facts (${facts}) SELECT ${factValues} ${numbers} RETURNING id)
     INSERT INTO dlq_states (id, ${states}) SELECT id, ${stateValues}${lane} FROM (SELECT id, row_number() OVER () AS n FROM f) numbered`,
  ];
}

async function fill(client: pg.Client, layout: Layout, closed: number): Promise<void> {
  await createLayout(client, layout);
  for (const statement of fillStatements(layout)) {
    const text = statement.replaceAll('$1', '$1::text');
    await client.query(text, ['SUCCEEDED', closed]);
    await client.query(text, ['PENDING', OPEN_ROWS]);
  }
  await client.query('VACUUM ANALYZE');
}

/** Only the claim is timed; its events are settled before the next one, as a worker does. */
async function timeOfClaim(client: pg.Client, layout: Layout): Promise<number> {
  const lease_token = randomUUID();
  const start = performance.now();
  const { rows } = await client.query({ name: 'claim', text: claim(layout), values: [BATCH, lease_token] });
  const taken = performance.now() - start;
  const outcomes = rows.map(({ id }) => ({ id, lease_token, status: 'SUCCEEDED' }));
  await client.query({ name: 'settle', text: settle(layout, false), values: [JSON.stringify(outcomes)] });
  return taken;
}

async function buffersOfClaim(client: pg.Client, layout: Layout): Promise<number> {
  await client.query(`PREPARE explained AS ${claim(layout)}`);
  const { rows } = await client.query(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained (${BATCH}, '${randomUUID()}')`,
  );
  const plan = rows[0]['QUERY PLAN'][0].Plan;
  await client.query('DEALLOCATE explained');
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

const quantile = (numbers: number[], at: number) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * at)] as number;

await withDatabase(async (connect) => {
  console.log(
    '| closed rows | layout | claim p50 ms | p95 ms | buffers first | buffers last |\n|---|---|---|---|---|---|',
  );
  for (const closed of histories) {
    const measured = [];
    for (const layout of layouts.filter(({ name }) => COMPARED.includes(name))) {
      const client = await connect(layout.schema);
      await fill(client, layout, closed);
      measured.push({ layout, client, first: await buffersOfClaim(client, layout), times: [] as number[] });
    }
    for (let n = 0; n < OPEN_ROWS / BATCH - 3; n++)
      for (const { layout, client, times } of measured) times.push(await timeOfClaim(client, layout));
    for (const { layout, client, first, times } of measured) {
      const last = await buffersOfClaim(client, layout);
      console.log(
        `| ${closed} | ${layout.name} | ${quantile(times, 0.5).toFixed(2)} | ${quantile(times, 0.95).toFixed(2)} | ${first} | ${last} |`,
      );
      await client.query(`DROP SCHEMA ${layout.schema} CASCADE`);
    }
  }
});
