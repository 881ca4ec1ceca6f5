// A target that is down for the first half of a drain by several workers, with all events due at once. Prints the calls
// until its breaker opened and while it was open, the time from its recovery until all events were delivered, and the deliveries
// in each second after the breaker closed.
//   DATABASE_URL=postgres://... node bench/engine/dead-target.ts [events] [seconds dead] [workers]
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { fillEvents } from './fill-events.ts';
import { openRecordingTarget } from './recording-target.ts';
import { benchRetry, killWorkers, startWorkers } from './workers.ts';

const [events = 100_000, secondsDead = 60, workers = 4] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const db = openDatabase({ kind: 'url', url, poolMax: 2 }, 'bench');
await fillEvents(db, events);

let healthyFrom = Number.POSITIVE_INFINITY;
const target = await openRecordingTarget(({ calledAt }) => ({
  status: calledAt < healthyFrom ? 503 : 200,
  afterMs: Math.random() * 20,
}));
const breaker = { consecutiveFailures: 5, cooldownSeconds: 2, maxCooldownSeconds: 16 };
const policy = { breaker, timeoutSeconds: 5, backoff: { kind: 'fixed', delaySeconds: 1 } };
const routes = [{ target: { kind: 'http', url: target.url }, policy }];
const processes = await startWorkers(workers, { url, routes, retry: benchRetry({ workers }) });

const startedAt = Date.now();
healthyFrom = startedAt + secondsDead * 1000;
const openedAt = await waitFor(
  "select extract(epoch from opened_at) * 1000 as at from dlq_breakers where state = 'OPEN'",
);
const closedAt = await waitFor(
  "select extract(epoch from updated_at) * 1000 as at from dlq_breakers where state = 'CLOSED'",
);
const doneAt = await waitFor('select 1 as at where not exists (select from dlq_events where is_open)').then(
  Date.now,
);
await killWorkers(processes);

const between = (from: number, to: number) =>
  target.calls.filter(({ calledAt }) => calledAt >= from && calledAt < to).length;
const [retries] = (
  await db.query<{ max: number; sum: number }>({
    text: 'select max(retry_count), sum(retry_count)::int from dlq_events',
  })
).rows;
console.log({
  callsUntilOpen: between(0, openedAt),
  callsWhileOpen: between(openedAt, closedAt),
  ofTheseInTheFirstTwoSeconds: between(openedAt, openedAt + 2000),
  secondsOpen: (closedAt - openedAt) / 1000,
  secondsFromRecoveryToClosed: (closedAt - healthyFrom) / 1000,
  secondsFromClosedToAllDelivered: (doneAt - closedAt) / 1000,
  callsBySecondFromClosed: Array.from({ length: 12 }, (_, second) =>
    between(closedAt + second * 1000, closedAt + (second + 1) * 1000),
  ),
  callsInAll: target.calls.length,
  retriesCharged: retries?.sum,
  maxRetriesOfOneEvent: retries?.max,
});
target.close();
await db.close();

/** Repeats a query until it returns a row. Returns the time of the row in ms. */
async function waitFor(text: string): Promise<number> {
  for (;;) {
    const { rows } = await db.query<{ at: string }>({ text });
    if (rows[0]) return Number(rows[0].at);
    await pause(50);
  }
}
