// What an adoption costs the clients of a table: three writers, a worker that claims and settles, a reader, and a counter of all
// rows, while `npm run adopt` runs in a process of its own.
//   node bench/adopt/measure.ts [rows] [folder]
// Starts a PostgreSQL with its defaults, unless DATABASE_URL names an empty database. Prints the figures of docs/adopt.md, and for
// each statement of more than a second what all sessions and the machine did meanwhile. `folder` gets all samples and the server's log.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, createWriteStream, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../local/database/start-postgres.ts';
import { articlesTable, someRows } from '../../test/support/articles-table.ts';
import { useTable } from '../../test/support/live-table.ts';
import { describeSamples, type Sample, startSampler } from './sampler.ts';

const rows = Number(process.argv[2] ?? 50_000);
const folder = process.argv[3] ?? mkdtempSync(path.join(tmpdir(), 'bench-adopt-'));
const slowMs = 1000;
const countEveryMs = 5000;

const server = process.env.DATABASE_URL ? undefined : await startServer();
const url = process.env.DATABASE_URL ?? server?.url ?? '';
const client = new pg.Client({ connectionString: url });
await client.connect();
const sql = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;
await sql(articlesTable);
await sql(someRows, [rows]);
await sql('vacuum analyze dlq_events');
await sql('checkpoint');
const [{ size }] = await sql(`select pg_size_pretty(pg_total_relation_size('dlq_events')) as size`);
const [{ version }] = await sql('select version()');
console.log(`${new Date().toISOString()}: ${rows.toLocaleString('en')} rows, ${size}; ${version}`);

const samples: Sample[] = [];
const file = createWriteStream(path.join(folder, 'samples.jsonl'));
const stopSampler = await startSampler(url, (sample) => {
  samples.push(sample);
  file.write(`${JSON.stringify(sample)}\n`);
});
const live = await useTable(url, {
  count: `select count(*)::int as rows from dlq_events where id > ${rows}`,
});
let isOver = false;
const counter = countAll();
// The rates before, as a comparison.
await pause(10_000);
const before = live.seen.statements.length;
const walBefore = await readWal();
const beganAt = Date.now();
const code = await adopt();
const totalMs = Date.now() - beganAt;
const during = live.seen.statements.slice(before).filter(({ endedAt }) => endedAt <= beganAt + totalMs);
const walBytes = (await readWal()) - walBefore;
await pause(5000);
isOver = true;
const counted = await counter;
const seen = await live.stop();
await stopSampler();
file.end();

const [kept] = await sql(
  `select count(distinct payload ->> 'key')::int as inserted, count(*)::int as rows from dlq_events`,
);
const [states] = await sql(
  `select count(*)::int as kept from unnest($1::bigint[], $2::text[]) as acknowledged (id, status) join dlq_events using (id, status)`,
  [[...seen.states.keys()], [...seen.states.values()]],
);
console.log(`exit code ${code}, total time ${seconds(totalMs)}, WAL ${(walBytes / 1e9).toFixed(1)} GB`);
console.log(`inserts: acknowledged ${seen.inserted.length}, in the table ${kept.inserted}`);
console.log(
  `claims and settlements: acknowledged ${seen.states.size} latest states, in the table ${states.kept}`,
);
console.log(
  `errors ${seen.errors.length + counted.errors.length}, counts below the acknowledged inserts ${seen.lowCounts.length}`,
);
for (const text of [...seen.errors, ...counted.errors, ...seen.lowCounts].slice(0, 10))
  console.log(`  ${text}`);
console.log(
  `smallest count of all rows ${counted.smallest.toLocaleString('en')} in ${counted.counts} counts, at the end ${kept.rows}`,
);

const roles = [...new Set(during.map(({ role }) => role))].sort();
console.log('role: statements during the adoption; median before, median, 99 %, longest and its end');
for (const role of roles) {
  const of = (list: typeof during) => list.filter((each) => each.role === role);
  const sorted = of(during).toSorted((a, b) => a.ms - b.ms);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)];
  const quiet = of(seen.statements.slice(0, before)).toSorted((a, b) => a.ms - b.ms);
  const longest = at(1);
  console.log(
    `${role}: ${sorted.length}; ${quiet[quiet.length >> 1]?.ms.toFixed(0)} ms, ${at(0.5)?.ms.toFixed(0)} ms, ${at(0.99)?.ms.toFixed(0)} ms, ${longest?.ms.toFixed(0)} ms at ${timeOf(longest?.endedAt ?? 0)}`,
  );
}
console.log(
  `counter: longest count ${seconds(Math.max(...counted.waits.map(({ ms }) => ms)))}, before the adoption ${seconds(counted.waits[0]?.ms ?? 0)}`,
);

const longest = new Map<string, number>();
for (const { sessions } of samples) {
  for (const { application, queryMs, query, state } of sessions) {
    const text = query.slice(0, 70);
    if (application === 'migrate' && state === 'active' && queryMs > (longest.get(text) ?? 0))
      longest.set(text, queryMs);
  }
}
console.log('longest statements of the adoption, to 0.1 s; docs/adopt.md says which others wait for:');
for (const [text, ms] of [...longest].sort(([, a], [, b]) => b - a).slice(0, 8))
  console.log(`  ${seconds(ms)} ${text}`);

const slow = [...seen.statements, ...counted.waits.filter(({ ms }) => ms > 3 * (counted.waits[0]?.ms ?? 0))]
  .filter(({ ms }) => ms > slowMs)
  .sort((a, b) => b.ms - a.ms);
console.log(`statements of more than ${seconds(slowMs)}: ${slow.length}`);
for (const { role, ms, endedAt } of slow.slice(0, 10)) {
  console.log(`${role}: ${seconds(ms)}, from ${timeOf(endedAt - ms)} to ${timeOf(endedAt)}`);
  for (const line of describeSamples(samples, endedAt - ms, endedAt)) console.log(`  ${line}`);
}
console.log(`samples and log: ${folder}`);
await client.end();
await server?.stop();

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

async function countAll() {
  const waits: { role: string; ms: number; endedAt: number }[] = [];
  const errors: string[] = [];
  let smallest = Number.POSITIVE_INFINITY;
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  while (!isOver) {
    const began = performance.now();
    try {
      const found = await reader.query('select count(*)::int as rows from dlq_events');
      smallest = Math.min(smallest, found.rows[0].rows);
    } catch (error) {
      errors.push((error as Error).message);
    }
    waits.push({ role: 'counter', ms: performance.now() - began, endedAt: Date.now() });
    await pause(countEveryMs);
  }
  await reader.end();
  return { waits, errors, smallest, counts: waits.length };
}

async function adopt(): Promise<number> {
  const program = path.resolve(import.meta.dirname, '../../migrations/adopt/run-adopt.ts');
  const child = spawn(process.execPath, [program], { env: { ...process.env, DATABASE_URL: url } });
  const say = (chunk: Buffer) =>
    `${chunk}`
      .trimEnd()
      .split('\n')
      .map((line) => console.log(`${timeOf(Date.now())} ${line}`));
  child.stdout.on('data', say);
  child.stderr.on('data', say);
  const [exit] = await once(child, 'exit');
  return exit;
}

async function readWal(): Promise<number> {
  const [row] = await sql(`select pg_current_wal_lsn() - '0/0' as bytes`);
  return Number(row.bytes);
}

async function startServer() {
  chmodSync(folder, 0o711);
  const { url, keeper, stop } = await startPostgres(folder, ['log_min_messages=log']);
  const log = createWriteStream(path.join(folder, 'server.log'));
  keeper.stderr?.on('data', (chunk) => log.write(chunk));
  return { url, stop };
}
