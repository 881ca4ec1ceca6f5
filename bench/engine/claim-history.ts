// The plan and the time of a claim of 50 as history grows: 99 of 100 events are closed.
//   DATABASE_URL=postgres://... node bench/engine/claim-history.ts [sizes, smallest first]
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { parseStatement } from '../../shared/sql.ts';

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 5_000_000];
const rounds = 50;
const connectionString = process.env.DATABASE_URL;
if (!connectionString) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(connectionString);
const client = new pg.Client({ connectionString });
await client.connect();
const claim = parseStatement(
  readFileSync(new URL('../../shared/sql/claim-events.sql', import.meta.url), 'utf8'),
);

const times: string[] = [];
let rows = 0;
for (const size of sizes) {
  for (; rows < size; rows += Math.min(250_000, size - rows)) await addEvents(Math.min(250_000, size - rows));
  await client.query('vacuum (analyze) dlq_events');
  for (const isOrdered of [false, true]) {
    const values = await composeValues(isOrdered);
    const p50 = await timeClaims(values);
    times.push(
      `| ${size.toLocaleString('en')} | ${isOrdered ? 'ordered' : 'any order'} | ${p50.toFixed(2)} |`,
    );
    if (!isOrdered) console.log(`## ${size.toLocaleString('en')} events\n\n${await explain(values)}\n`);
  }
}
console.log(`| events | route | claim of 50, p50 of ${rounds} in ms |\n|---|---|---|\n${times.join('\n')}`);
await client.end();

/** Ten types of events; of each a hundredth is open, and half of that is due. */
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

async function composeValues(isOrdered: boolean): Promise<unknown[]> {
  const lanes = await client.query('select distinct lane::text from dlq_events where is_open');
  const about = { route: 0, quota: 50, is_ordered: isOrdered, max_retries: 240, target: 'http://shop/' };
  const params: Record<string, unknown> = {
    runId: '1',
    lanes: JSON.stringify(lanes.rows.map(({ lane }) => ({ lane, ...about }))),
    limit: 50,
    dueAt: new Date(),
    leaseToken: randomUUID(),
    leaseSeconds: 300,
  };
  return claim.parameters.map((name) => params[name]);
}

/** The median of claims that are each taken back. */
async function timeClaims(values: unknown[]): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await client.query('begin');
    const startedAt = performance.now();
    const { rowCount } = await client.query({ name: 'claim', text: claim.text, values });
    taken.push(performance.now() - startedAt);
    await client.query('rollback');
    if (rowCount !== 50) throw new Error(`${rowCount} events were claimed.`);
  }
  return taken.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}

async function explain(values: unknown[]): Promise<string> {
  await client.query('begin');
  const plan = await client.query(`explain (analyze, buffers, costs off) ${claim.text}`, values);
  await client.query('rollback');
  return plan.rows.map((row) => `    ${row['QUERY PLAN']}`).join('\n');
}
