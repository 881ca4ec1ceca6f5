// The cost of each index to a capture and on disk, and the time of the usual questions, over a month of history.
//   DATABASE_URL=postgres://... node bench/filter-indexes/measure.ts [events] [rounds]
// The server has to be on this machine, with full_page_writes off: which pages are written whole is chance here.
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { type Cost, measureCaptures } from './captures.ts';
import { fillHistory } from './history.ts';
import { explain, questions } from './questions.ts';

const [events = 2_000_000, rounds = 5] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();

/** The indexes of the schema, and the rejected ones. */
const indexes = {
  dlq_events_due: undefined,
  dlq_events_sequence: undefined,
  dlq_events_age: undefined,
  dlq_events_failed_at: undefined,
  dlq_events_failed_permanently: undefined,
  dlq_events_fingerprint: undefined,
  dlq_events_source_key: undefined,
  dlq_events_created_at: undefined,
  created_at_brin: 'using brin (created_at) with (autosummarize = on)',
  failed_at_alone: '(last_failure_at)',
  type_and_failed_at: '(event_type, last_failure_at)',
  event_id: '(event_id) where event_id is not null',
  trace_id: '(trace_id) where trace_id is not null',
  payload: 'using gin (payload jsonb_path_ops)',
};
const names = Object.keys(indexes);
const chosen = names.filter((name) => name.startsWith('dlq_'));

await fillHistory(client, events);
console.log(`| question, ${events} events | cost | rows | ms | by |\n|---|---|---|---|---|`);
for (const question of questions) {
  const { cost, rows, ms, reads } = await explain(client, question);
  console.log(`| \`${question}\` | ${Math.round(cost)} | ${rows} | ${ms.toFixed(1)} | ${reads} |`);
}

for (const [name, definition] of Object.entries(indexes)) {
  if (definition) await client.query(`create index ${name} on dlq_events ${definition}`);
}
const sets: Readonly<Record<string, readonly string[]>> = {
  none: [],
  'all that were chosen': chosen,
  ...Object.fromEntries(names.map((name) => [name, [name]])),
};
const costs = new Map<string, Cost[]>(Object.keys(sets).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, kept] of Object.entries(sets)) {
    costs.get(name)?.push(
      await measureCaptures(
        client,
        names.filter((each) => !kept.includes(each)),
      ),
    );
  }
}
console.log(
  '\n| index | µs of a capture, median [least-most] | WAL bytes of a capture | MB |\n|---|---|---|---|',
);
for (const [name, kept] of Object.entries(sets)) {
  const times = (costs.get(name) ?? []).map(({ microseconds }) => microseconds).sort((a, b) => a - b);
  const logs = (costs.get(name) ?? []).map(({ walBytes }) => walBytes).sort((a, b) => a - b);
  const spread = `${median(times).toFixed(1)} [${times[0]?.toFixed(1)}-${times.at(-1)?.toFixed(1)}]`;
  console.log(`| ${name} | ${spread} | ${median(logs).toFixed(0)} | ${(await sizeOf(kept)).toFixed(1)} |`);
}
await client.end();

async function sizeOf(kept: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ mb: number }>(
    'select coalesce(sum(pg_relation_size(name::regclass)), 0)::float / 1e6 as mb from unnest($1::text[]) as name',
    [kept],
  );
  return rows[0]?.mb ?? 0;
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
