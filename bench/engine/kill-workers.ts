// Due events over several worker processes, of which half are killed with -9 at random moments and one is stopped for
// longer than a lease. Prints the final state of the events, how often each was delivered, and rejected settlements.
//   DATABASE_URL=postgres://... node bench/engine/kill-workers.ts [events] [workers]
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '../../migrations/migrate.ts';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import { fillEvents } from './fill-events.ts';
import { type Call, openRecordingTarget } from './recording-target.ts';
import { benchRetry, killWorkers, startWorkers } from './workers.ts';

type KillReport = {
  readonly seconds: number;
  readonly succeeded: number;
  /** Events by how often they were delivered. */
  readonly deliveries: Readonly<Record<string, number>>;
  /** Attempts with the outcome `lost`. */
  readonly lost: number;
  /** Settlements that were rejected because another worker had the lease. */
  readonly stale: number;
  /** Events that were sent more often than their attempts record, or are not recorded as delivered exactly once. */
  readonly unexplained: number;
};

type Trial = { readonly events: number; readonly workers: number; readonly leaseSeconds: number };

/** Drains `events` due events of a migrated, empty database while workers die. Returns the counts. */
export async function drainWithDeaths(
  url: string,
  { events, workers, leaseSeconds }: Trial,
): Promise<KillReport> {
  const db = openDatabase({ kind: 'url', url, poolMax: 2 }, 'bench');
  // While a worker is to die, no answer comes: it dies with a request on its way.
  let isHeld = false;
  const target = await openRecordingTarget(() => ({
    status: 200,
    afterMs: isHeld ? leaseSeconds * 1000 : Math.random() * 40,
  }));
  await fillEvents(db, events);
  const policy = { timeoutSeconds: leaseSeconds / 3, backoff: { kind: 'fixed', delaySeconds: 1 } };
  const routes = [{ target: { kind: 'http', url: target.url }, policy }];
  const retry = benchRetry({ workers, leaseSeconds });
  const processes = await startWorkers(workers, { url, routes, retry });
  const startedAt = performance.now();
  try {
    const dying = processes.slice(0, workers / 2);
    const when = (min: number) => (min + Math.random() * 0.5) * events;
    const deaths = dying.map((worker) => ({ at: when(0.1), worker, end: () => void worker.kill('SIGKILL') }));
    const stops = processes
      .slice(-1)
      .map((worker) => ({ at: when(0.1), worker, end: () => sleep(worker, leaseSeconds) }));
    const plan = [...deaths, ...stops].sort((a, b) => a.at - b.at);
    while ((await countOpen(db)) > 0) {
      const next = plan[0];
      if (next && next.at <= target.calls.length) {
        isHeld = true;
        await once(next.worker, 'message');
        next.end();
        isHeld = false;
        plan.shift();
      }
      await pause(20);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    // The stopped worker may still send its stale settlements.
    await pause(leaseSeconds * 1000);
    return { seconds, ...(await count(db, target.calls)) };
  } finally {
    await killWorkers(processes);
    target.close();
    await db.close();
  }
}

/** Stops a process for longer than its leases, as a machine without memory may do. */
function sleep(worker: ChildProcess, leaseSeconds: number): void {
  worker.kill('SIGSTOP');
  setTimeout(() => worker.kill('SIGCONT'), leaseSeconds * 1500);
}

async function countOpen({ query }: Database): Promise<number> {
  const { rows } = await query<{ open: number }>({
    text: 'select count(*)::int as open from (select from dlq_events where is_open limit 1) as any_open',
  });
  return rows[0]?.open ?? 0;
}

type Fate = {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly lost: number;
  readonly delivered: number;
};

async function count({ query }: Database, calls: readonly Call[]): Promise<Omit<KillReport, 'seconds'>> {
  const { rows: events } = await query<Fate>({
    text: `select dlq_events.id, status, count(outcome)::int as attempts, count(*) filter (where outcome = 'lost')::int as lost,
        count(*) filter (where outcome = 'delivered')::int as delivered
      from dlq_events left join dlq_attempts on dlq_attempts.event_id = dlq_events.id
      group by dlq_events.id`,
  });
  const { rows: runs } = await query<{ stale: number }>({
    text: `select coalesce(sum((tally ->> 'stale')::int), 0)::int as stale from dlq_runs`,
  });
  const byEvent = new Map<string, number>();
  for (const { eventId } of calls) byEvent.set(eventId, (byEvent.get(eventId) ?? 0) + 1);
  const deliveries: Record<string, number> = {};
  for (const { id } of events) {
    const times = byEvent.get(id) ?? 0;
    deliveries[times] = (deliveries[times] ?? 0) + 1;
  }
  return {
    succeeded: events.filter(({ status }) => status === 'SUCCEEDED').length,
    deliveries,
    lost: events.reduce((sum, event) => sum + event.lost, 0),
    stale: runs[0]?.stale ?? 0,
    unexplained: events.filter(
      ({ id, attempts, delivered }) => (byEvent.get(id) ?? 0) > attempts || delivered !== 1,
    ).length,
  };
}

if (import.meta.main) {
  const [events = 100_000, workers = 8] = process.argv.slice(2).map(Number);
  const url = process.env.DATABASE_URL;
  if (!url) throw new Error('Set DATABASE_URL to an empty database.');
  await migrate(url);
  console.log(await drainWithDeaths(url, { events, workers, leaseSeconds: 15 }));
}
