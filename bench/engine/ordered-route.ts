// An ordered route whose target fails every tenth time, with several workers of which one is killed. Prints the order in
// which a key was delivered, and fails if an event was sent before the previous one of its key had been accepted.
//   DATABASE_URL=postgres://... node bench/engine/ordered-route.ts [keys] [events per key] [workers]
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { fillEvents } from './fill-events.ts';
import { type Call, openRecordingTarget } from './recording-target.ts';
import { benchRetry, killWorkers, startWorkers } from './workers.ts';

const [keys = 50, perKey = 40, workers = 2] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const db = openDatabase({ kind: 'url', url, poolMax: 2 }, 'bench');
await fillEvents(db, keys * perKey, { keys });

const target = await openRecordingTarget(() => ({
  status: Math.random() < 0.1 ? 503 : 200,
  afterMs: Math.random() * 20,
}));
const policy = {
  backoff: { kind: 'fixed', delaySeconds: 0.3 },
  timeoutSeconds: 1,
  breaker: { consecutiveFailures: 100_000 },
};
const routes = [{ target: { kind: 'http', url: target.url }, ordered: true, policy }];
const retry = benchRetry({ workers, leaseSeconds: 5, batchSize: 10 });
const config = { url, routes, retry };
const processes = await startWorkers(workers, config);
while (target.calls.length < (keys * perKey) / 2) await pause(20);
await killWorkers(processes.slice(0, 1));
processes.push(...(await startWorkers(1, config)));
while (await isAnyOpen()) await pause(50);
await killWorkers(processes);

const byKey = Map.groupBy(target.calls, ({ body }) => Number(body) % keys);
const disorders = [...byKey.values()].flatMap(findDisorder);
const failed = target.calls.filter(({ status }) => status === 503).length;
const repeats = target.calls.length - failed - keys * perKey;
console.log({ keys: byKey.size, events: keys * perKey, calls: target.calls.length, failed, repeats });
console.log('key 0:', show(byKey.get(0) ?? []));
if (disorders.length > 0) throw new Error(`Out of order: ${disorders.join('; ')}`);
console.log('In order: every event was sent after the previous one of its key had been accepted.');
target.close();
await db.close();

/** Lists calls for an event before the previous one of its key was accepted, or after the next one was sent. */
function findDisorder(calls: readonly Call[]): string[] {
  let expected = Number(calls[0]?.body) % keys;
  const wrong: string[] = [];
  for (const [i, { body, status }] of calls.entries()) {
    const isRepeat = Number(body) === expected - keys;
    if (Number(body) !== expected && !isRepeat)
      wrong.push(`${body} as call ${i}, where ${expected} was next`);
    if (status === 200 && !isRepeat) expected = Number(body) + keys;
  }
  return wrong;
}

function show(calls: readonly Call[]): string {
  return calls
    .map(({ body, status }) => `${Math.floor(Number(body) / keys)}${status === 200 ? '' : 'x'}`)
    .join(' ');
}

async function isAnyOpen(): Promise<boolean> {
  const text = 'select from dlq_events where is_open limit 1';
  return (await db.query({ text })).rows.length > 0;
}
