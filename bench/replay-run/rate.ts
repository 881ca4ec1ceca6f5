// Events per second of one replay with one worker, for a target that answers after a delay.
//   DATABASE_URL=postgres://... node bench/replay-run/rate.ts [events] [delay in ms]
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { RoutesSchema } from '../../shared/delivery/routes.ts';
import { createRun } from '../../shared/replay/create-run.ts';
import { workOnReplay } from '../../shared/replay/work-on-replay.ts';
import { retry as config } from './settings.ts';

const [events = 6000, delayMs = 20] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const db = openDatabase({ kind: 'url', url, poolMax: 4 }, 'bench');
await db.query({
  text: `insert into dlq_events (event_type, payload) select 'order.created', '{}' from generate_series(1, $1::int)`,
  values: [events],
});
const target = createServer(async (request, response) => {
  request.resume();
  await pause(delayMs);
  response.end();
}).listen(0, '127.0.0.1');
await new Promise((resolve) => target.once('listening', resolve));
const address = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
const routes = v.parse(RoutesSchema, [
  { target: { kind: 'http', url: address }, policy: { concurrency: 20 } },
]);
const retry = { ...config, batchSize: 50 };

for (const gate of [false, { window: 50, maxFailureRatio: 0.5 }] as const) {
  await db.query({
    text: `update dlq_events set status = 'PENDING', processed_at = null, retry_after = now()`,
  });
  await db.query({ text: 'vacuum analyze dlq_events' });
  const request = {
    filter: { eventType: ['order.created'] },
    includeSucceeded: false,
    includeDiscarded: false,
    reason: 'a measurement',
    rollout: { gate },
    dryRun: false,
    samples: 0,
    hash: String(gate),
  };
  const { run } = await createRun({ db, routes, costLimit: 0 }, request, 'bench');
  const began = performance.now();
  const stopped = await workOnReplay({ db, routes, retry }, run.id, { endsAt: Date.now() + 600_000 });
  const perSecond = Math.round((events * 1000) / (performance.now() - began));
  console.log(`${gate ? 'with' : 'without'} a gate: ${perSecond} events/s (${stopped})`);
}
target.close();
await db.close();
