// Whether the tables keep their size and a claim its cost while events come and go: a backlog that stays the same, a million
// events captured, delivered, settled and archived, counts aggregated as by ticks. The table as the migrations make it and the same
// with PostgreSQL's defaults, in turns.
//   DATABASE_URL=postgres://... (an empty database, autovacuum on) node bench/steady-backlog/measure.ts [cycles] [backlog]
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { archiveEvents } from '../../shared/archive/archive.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import { parseStatement } from '../../shared/database/statement.ts';
import { settleEvents } from '../../shared/delivery/settle.ts';
import { refreshGroups } from '../../shared/groups/refresh-groups.ts';
import { claimEvents } from '../../shared/schedule/due-events.ts';
import { listLanes } from '../../shared/schedule/lanes.ts';
import { aCapture } from '../../test/support/captures.ts';
import { aSettlement, fromBeginning } from '../../test/support/claims.ts';

const [cycles = 1_000_000, backlog = 20_000] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
const batch = 500;
const reports = 10;
/** Events per tick; each tick begins with an aggregation. */
const eventsOfTick = 10_000;

type Subject = { readonly db: Database; readonly own: string; readonly table: string; captured: number };

type Time = { readonly cpuMs: number; readonly ms: number };

const subjects: Subject[] = [];
for (const table of ['as migrated', 'with defaults']) {
  const own = await makeDatabase(table === 'with defaults');
  subjects.push({
    db: openDatabase({ kind: 'url', url: own, poolMax: 1 }, 'bench'),
    own,
    table,
    captured: 0,
  });
}
console.log(
  `| table | cycles | heap MB | dead rows | out of line MB | indexes MB | counts MB | updates that wrote no index | buffers of a claim of 500 | its CPU ms | ms |
|---|---|---|---|---|---|---|---|---|---|---|`,
);
for (const subject of subjects) {
  while (subject.captured < backlog) await capture(subject);
  await report(subject, 0, []);
}
for (let share = 1; share <= reports; share++) {
  for (const subject of subjects) {
    const claimTimes = await keepSteady(subject, cycles / reports);
    await report(subject, (cycles / reports) * share, claimTimes);
  }
}
for (const { db } of subjects) await db.close();

async function makeDatabase(hasDefaults: boolean): Promise<string> {
  const own = new URL(url ?? '');
  own.pathname = `/steady_${randomUUID().replaceAll('-', '')}`;
  await run(url ?? '', `create database ${own.pathname.slice(1)}`);
  await migrate(own.href);
  if (hasDefaults) await run(own.href, await listResets(own.href));
  return own.href;
}

/** Takes back every storage parameter that the migrations set. */
async function listResets(own: string): Promise<string> {
  const rows = await run(
    own,
    `select format('alter table dlq_events reset (%s)', string_agg(option_name, ', ')) as sql
     from pg_class, pg_options_to_table(reloptions) where oid = 'dlq_events'::regclass`,
  );
  return String(rows[0]?.sql);
}

async function run(database: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

/** As many events in as out; returns what the claims took. */
async function keepSteady(subject: Subject, cycles: number): Promise<Time[]> {
  const claimTimes: Time[] = [];
  for (let cycle = 0; cycle < cycles; cycle += batch) {
    if (cycle % eventsOfTick === 0) await refreshGroups(subject.db);
    await capture(subject);
    await deliver(subject.db, claimTimes);
    await archive(subject.db);
  }
  return claimTimes;
}

async function capture(subject: Subject): Promise<void> {
  const events = Array.from({ length: batch }, () => {
    const id = subject.captured++;
    const body = Buffer.from(JSON.stringify({ orderId: id, note: randomBytes(400).toString('hex') }));
    return aCapture({ eventKey: `id:${id}`, eventId: `${id}`, body, errorReason: 'timeout' });
  });
  await storeCaptures({ db: subject.db, maxRecurrences: 10, repeatSeconds: 600 }, events);
}

/** The parameters of a claim. */
async function aClaim(db: Database) {
  const lanes = (await listLanes(db, { max: 0 })).map(({ lane }) => ({
    lane,
    route: 0,
    fronts: fromBeginning,
    quota: batch,
    maxRetries: 240,
    target: 't',
  }));
  const dueAt = new Date().toISOString();
  const lease = { leaseToken: randomUUID(), leaseSeconds: 300, maxLost: 5 };
  return { runId: '1', lanes, limit: batch, dueAt, ...lease };
}

async function deliver(db: Database, claimTimes: Time[]): Promise<void> {
  const claim = await aClaim(db);
  const before = await readTime(db);
  const claimed = await claimEvents(db, claim);
  const after = await readTime(db);
  claimTimes.push({ cpuMs: after.cpuMs - before.cpuMs, ms: after.ms - before.ms });
  const settlements = claimed.map(({ id }) => aSettlement(id, claim.leaseToken));
  await settleEvents(db, { runId: '1', settlements, maxRecurrences: 10 });
}

/** CPU time of the one backend that works, which other work on the machine does not change: it has to run here, on Linux. */
async function readTime(db: Database): Promise<Time> {
  const { rows } = await db.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
  const [nanoseconds] = readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ');
  return { cpuMs: Number(nanoseconds) / 1e6, ms: performance.now() };
}

/** Archives the events that were closed before this batch, as after thirty days of such a steady state. */
async function archive(db: Database): Promise<void> {
  const future = new Date(Date.now() + 60_000);
  await archiveEvents(db, {
    after: '-infinity',
    closedBefore: future,
    capturedBefore: future,
    limit: batch,
  });
}

async function report(
  { db, own, table }: Subject,
  cycle: number,
  claimTimes: readonly Time[],
): Promise<void> {
  const { rows } = await db.query<Record<string, string>>({
    text: `select
        round(pg_relation_size('dlq_events') / 1e6) as heap,
        round(pg_relation_size(reltoastrelid) / 1e6) as toast,
        round(pg_indexes_size('dlq_events') / 1e6) as indexes,
        (
          select round((sum(pg_total_relation_size(counts)) / 1e6)::numeric, 1)
          from unnest(
            '{dlq_count_deltas,dlq_counts_current,dlq_counts_hourly,dlq_error_groups}'::regclass[]
          ) as counts
        ) as counts,
        n_dead_tup as dead, round(100.0 * n_tup_hot_upd / nullif(n_tup_upd, 0)) || ' %' as hot
      from pg_class join pg_stat_user_tables on relid = pg_class.oid where pg_class.oid = 'dlq_events'::regclass`,
  });
  const { heap, toast, indexes, counts, dead, hot } = rows[0] ?? {};
  const median = (times: readonly number[]) =>
    times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]?.toFixed(1) ?? '-';
  const [cpuMs, ms] = [claimTimes.map((time) => time.cpuMs), claimTimes.map((time) => time.ms)].map(median);
  const buffers = await countBuffers(own, await aClaim(db));
  console.log(
    `| ${table} | ${cycle} | ${heap} | ${dead} | ${toast} | ${indexes} | ${counts} | ${hot ?? '-'} | ${buffers} | ${cpuMs} | ${ms} |`,
  );
}

/** Pages that a claim touches: its cost that does not depend on the machine. It is taken back at once. */
async function countBuffers(own: string, claim: Record<string, unknown>): Promise<number> {
  const file = readFileSync(new URL('../../shared/events/claim-events.sql', import.meta.url), 'utf8');
  const { text, parameters } = parseStatement(file);
  const client = new pg.Client({ connectionString: own });
  await client.connect();
  await client.query('begin');
  const values = parameters.map((parameter) => claim[parameter]);
  const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
  await client.end();
  const plan = rows[0]['QUERY PLAN'][0].Plan;
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}
