// Maintain archives in a process of its own, which is killed with -9 at random moments and started again, while events are
// captured over HTTP, many of them twice, delivered, and grow old. Then all of it is counted.
//   DATABASE_URL=postgres://... (an empty database) node bench/maintain-kills/kill-maintain.ts [kills] [events]
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '../../migrations/migrate.ts';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import { serveFunction } from '../../test/support/framework.ts';
import { openRecordingTarget } from '../engine/recording-target.ts';
import { benchRetry, killWorkers, startWorkers } from '../engine/workers.ts';
import { countOutcome, type Outcome } from './count-outcome.ts';
import { ageEvents, fillOldEvents } from './old-events.ts';
import { startSenders } from './senders.ts';

export type KillReport = Outcome & {
  readonly seconds: number;
  readonly kills: number;
  /** Those of them that came before maintain had answered. */
  readonly killsAtWork: number;
};

type Trial = { readonly kills: number; readonly events: number };

/** Archives `events` that are old enough, and more that become so, on a migrated, empty database while maintain dies. */
export async function archiveWithDeaths(url: string, { kills, events }: Trial): Promise<KillReport> {
  const startedAt = performance.now();
  const db = openDatabase({ kind: 'url', url, poolMax: 4 }, 'bench');
  await fillOldEvents(db, events);
  const target = await openRecordingTarget(() => ({ status: 200, afterMs: 1 }));
  const routes = [{ target: { kind: 'http', url: target.url }, policy: { timeoutSeconds: 5 } }];
  const workers = await startWorkers(1, { url, routes, retry: benchRetry({ workers: 1 }) });
  const capture = await serveFunction('capture', { DATABASE_URL: url });
  const senders = startSenders(capture.url, events);
  const ageing = ageEvents(db);
  try {
    let killsAtWork = 0;
    for (let i = 0; i < kills; i++) killsAtWork += (await killOnce(url, i % 2 ? undefined : db)) ? 1 : 0;
    const sent = await senders.stop();
    await ageing.stop();
    while ((await countOpen(db)) > 0) await pause(50);
    await finish(url);
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, kills, killsAtWork, ...(await countOutcome(db, sent)) };
  } finally {
    await Promise.all([senders.stop(), ageing.stop(), capture.stop(), killWorkers(workers)]);
    target.close();
    await db.close();
  }
}

/** Asks a new maintain to work and kills it at any moment, or once it archives. Was it still at work? */
async function killOnce(url: string, archive: Database | undefined): Promise<boolean> {
  const size = archive && (await measureArchive(archive));
  const maintain = await serveFunction('maintain', { DATABASE_URL: url });
  let isAtWork = true;
  const answered = fetch(maintain.url, { method: 'POST' }).then(
    () => {
      isAtWork = false;
    },
    () => undefined,
  );
  while (isAtWork && archive && (await measureArchive(archive)) === size) await pause(5);
  await pause(Math.random() * (archive ? 50 : 1000));
  await maintain.stop();
  await answered;
  return isAtWork;
}

/** In bytes, which is quicker than to count. */
async function measureArchive({ query }: Database): Promise<string | undefined> {
  const { rows } = await query<{ bytes: string }>({
    text: `select sum(pg_relation_size(inhrelid)) as bytes from pg_inherits where inhparent = 'dlq_events_archive'::regclass`,
  });
  return rows[0]?.bytes;
}

async function finish(url: string): Promise<void> {
  const maintain = await serveFunction('maintain', { DATABASE_URL: url });
  const { status } = await fetch(maintain.url, { method: 'POST' });
  await maintain.stop();
  if (status !== 200) throw new Error(`maintain answered ${status}: ${maintain.output()}`);
}

async function countOpen({ query }: Database): Promise<number> {
  const { rows } = await query<{ open: number }>({
    text: 'select count(*)::int as open from dlq_events where is_open',
  });
  return rows[0]?.open ?? 0;
}

if (import.meta.main) {
  const [kills = 20, events = 300_000] = process.argv.slice(2).map(Number);
  const url = process.env.DATABASE_URL;
  if (!url) throw new Error('Set DATABASE_URL to an empty database.');
  await migrate(url);
  for (const [what, count] of Object.entries(await archiveWithDeaths(url, { kills, events }))) {
    console.log(`| ${what} | ${count} |`);
  }
}
