// The plan and the time of a claim of 50 as history grows: 99 of 100 events are closed.
//   DATABASE_URL=postgres://... node bench/engine/claim-history.ts [sizes, smallest first]

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { parseStatement } from '../../shared/database/statement.ts';
import { fromBeginning } from '../../test/support/claims.ts';
import { readStatement } from '../../test/support/statements.ts';

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 5_000_000];
const rounds = 50;
const connectionString = process.env.DATABASE_URL;
if (!connectionString) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(connectionString);
const client = new pg.Client({ connectionString });
await client.connect();
const read = (name: string) => parseStatement(readStatement(name));
const findHeads = read('find-heads');
const claimEvents = read('claim-events');
const limit = 50;

const times: string[] = [];
let rows = 0;
for (const size of sizes) {
  for (; rows < size; rows += Math.min(250_000, size - rows)) await addEvents(Math.min(250_000, size - rows));
  await client.query('vacuum (analyze) dlq_events');
  const title = `${size.toLocaleString('en')} events`;
  const { rows: lanes } = await client.query('select distinct lane::text from dlq_events where is_open');
  console.log(`## ${title}\n\n${await explain(lanes)}\n`);
  times.push(`| ${title} | any | ${(await timeClaims(lanes, false)).toFixed(2)} |`);
  times.push(`| ${title} | that of their keys | ${(await timeClaims(lanes, true)).toFixed(2)} |`);
}
console.log(`| | order | claim of ${limit}, p50 of ${rounds} in ms |\n|---|---|---|\n${times.join('\n')}`);
await client.end();

/** Adds events of ten types; 1 % of each type is open, and half of that is due. */
async function addEvents(count: number): Promise<void> {
  await client.query(
    `insert into dlq_events (event_type, payload, body, source_key, status, processed_at, retry_after)
     select 'order.' || n % 10, '{"orderId": 4711}', '{"orderId": 4711}', 'key-' || n % 9973,
       case when n % 1000 < 10 then 'PENDING' else 'SUCCEEDED' end, case when n % 1000 >= 10 then now() end,
       now() + make_interval(hours => case when n % 2000 < 1000 then -1 else 1 end)
     from generate_series($1::int, $1::int + $2::int - 1) n`,
    [rows, count],
  );
}

type Lanes = readonly { readonly lane: string; readonly heads?: readonly string[] }[];

/** Claims once, in an ordered lane after finding the heads of its keys. Returns the number of claimed events. */
async function claim(lanes: Lanes, isOrdered: boolean): Promise<number> {
  if (!isOrdered) return (await run(claimEvents, 'claim', lanes)).length;
  const found = await run(findHeads, 'find', lanes);
  const heads = found.map(({ lane, ids }) => ({ lane: String(lane), heads: ids as string[] }));
  return (await run(claimEvents, 'claim', heads)).length;
}

async function run(statement: typeof claimEvents, name: string, lanes: Lanes) {
  const values = composeValues(statement.parameters, lanes);
  return (await client.query({ name, text: statement.text, values })).rows as Record<string, unknown>[];
}

function composeValues(parameters: readonly string[], lanes: Lanes): unknown[] {
  const about = { route: 0, quota: limit, max_retries: 240, target: 'http://shop/' };
  const params: Record<string, unknown> = {
    runId: '1',
    lanes: JSON.stringify(
      lanes.map((lane) => ({ ...(!lane.heads && { fronts: fromBeginning }), ...lane, ...about })),
    ),
    limit,
    max: 1000,
    dueAt: new Date(),
    leaseToken: randomUUID(),
    leaseSeconds: 300,
    maxLost: 5,
  };
  return parameters.map((name) => params[name]);
}

/** Returns the median time in ms of claims that are each rolled back. */
async function timeClaims(lanes: Lanes, isOrdered: boolean): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await client.query('begin');
    const startedAt = performance.now();
    const count = await claim(lanes, isOrdered);
    taken.push(performance.now() - startedAt);
    await client.query('rollback');
    if (count !== limit) throw new Error(`${count} events were claimed.`);
  }
  return taken.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}

async function explain(lanes: Lanes): Promise<string> {
  const values = composeValues(claimEvents.parameters, lanes);
  await client.query('begin');
  const plan = await client.query(`explain (analyze, buffers, costs off) ${claimEvents.text}`, values);
  await client.query('rollback');
  return plan.rows.map((row) => `    ${row['QUERY PLAN']}`).join('\n');
}
