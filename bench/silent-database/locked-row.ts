// Captures per second of ten senders, each of which waits for its answer: alone, while one event is captured again every
// 500 ms, and while a transaction holds that event's row, too.
//   DATABASE_URL=postgres://... node bench/silent-database/locked-row.ts [rounds] [seconds]
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { serveFunction } from '../../test/support/framework.ts';

const [rounds = 5, seconds = 5] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();
const capture = await serveFunction('capture', { DATABASE_URL: url });

async function send(name: string): Promise<{ status: number; ms: number }> {
  const body = JSON.stringify({ eventType: 'order', eventId: name, error: 'failed', payload: { name } });
  const headers = { 'content-type': 'application/json' };
  const startedAt = performance.now();
  const response = await fetch(capture.url, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - startedAt };
}

const recaptured = randomUUID();
async function measure(isRecaptured: boolean) {
  const endsAt = Date.now() + seconds * 1000;
  const answers: { status: number; ms: number }[] = [];
  const again: Promise<unknown>[] = [];
  const recapture = async () => {
    for (; isRecaptured && Date.now() < endsAt; await pause(500)) again.push(send(recaptured));
  };
  const senders = Array.from({ length: 10 }, async () => {
    while (Date.now() < endsAt) answers.push(await send(randomUUID()));
  });
  await Promise.all([recapture(), ...senders]);
  const failures = answers.filter(({ status }) => status !== 200).length;
  return {
    perSecond: answers.length / seconds,
    failures,
    longest: Math.max(...answers.map(({ ms }) => ms)),
    again,
  };
}

await send(recaptured);
const results: Record<string, Awaited<ReturnType<typeof measure>>[]> = {
  alone: [],
  recaptured: [],
  locked: [],
};
for (let round = 0; round < rounds; round++) {
  results.alone?.push(await measure(false));
  results.recaptured?.push(await measure(true));
  await client.query('begin');
  await client.query('select from dlq_events where event_id = $1 for update', [recaptured]);
  const locked = await measure(true);
  results.locked?.push(locked);
  await client.query('rollback');
  await Promise.all(locked.again);
}
const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
console.log('| | captures/s, median | not 200 | longest answer ms |\n|---|---|---|---|');
for (const [name, all] of Object.entries(results)) {
  const failures = all.reduce((sum, each) => sum + each.failures, 0);
  const longest = Math.max(...all.map((each) => each.longest));
  console.log(
    `| ${name} | ${median(all.map(({ perSecond }) => perSecond)).toFixed(0)} | ${failures} | ${longest.toFixed(0)} |`,
  );
}
await capture.stop();
await client.end();
