// Memory, file descriptors and connections of a capture function while 50 senders send, and every 20 s each of its
// connections goes silent or every backend is terminated.
//   DATABASE_URL=postgres://... node bench/silent-database/soak.ts [minutes]
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabaseLink } from '../../test/support/database-link.ts';
import { serveFunction } from '../../test/support/framework.ts';

const [minutes = 30] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();
const ofCapture = `from pg_stat_activity where datname = current_database() and application_name = 'capture'`;
const link = await openDatabaseLink(url);
const capture = await serveFunction('capture', { DATABASE_URL: link.url });
const endsAt = Date.now() + minutes * 60_000;
const statuses = new Map<number, number>();

const senders = Array.from({ length: 50 }, async () => {
  const headers = { 'content-type': 'application/json' };
  for (; Date.now() < endsAt; await pause(200)) {
    const body = JSON.stringify({ eventType: 'order', eventId: randomUUID(), error: 'failed', payload: {} });
    const status = await fetch(capture.url, { method: 'POST', headers, body }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
});

console.log(
  '| minute | resident MB | file descriptors | connections | answers by status |\n|---|---|---|---|---|',
);
const { pid } = capture.child;
for (let round = 1; Date.now() < endsAt; round++) {
  await pause(20_000);
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const descriptors = readdirSync(`/proc/${pid}/fd`).length;
  const { rows } = await client.query(`select count(*)::int as connections ${ofCapture}`);
  const answers = JSON.stringify(Object.fromEntries(statuses));
  console.log(
    `| ${(round / 3).toFixed(1)} | ${resident.toFixed(0)} | ${descriptors} | ${rows[0].connections} | ${answers} |`,
  );
  if (round % 2 === 0) link.freeze();
  else await client.query(`select pg_terminate_backend(pid) ${ofCapture}`);
}
await Promise.all(senders);
await capture.stop();
process.exit(0);
