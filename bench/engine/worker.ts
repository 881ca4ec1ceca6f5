// One worker process of a benchmark: runs ticks, and joins a running tick as a request for a worker would. It never ends
// by itself, and tells its parent of each request that it sends. BENCH_ROUTES, BENCH_RETRY and DATABASE_URL configure it.
import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { openDatabase } from '../../shared/database/database.ts';
import { RoutesSchema } from '../../shared/delivery/routes.ts';
import { joinRun, runTick } from '../../shared/schedule/run-tick.ts';

const { DATABASE_URL: url = '', BENCH_ROUTES = '[]', BENCH_RETRY = '{}' } = process.env;
const db = openDatabase({ kind: 'url', url, poolMax: 2 }, 'bench worker');
const routes = v.parse(RoutesSchema, JSON.parse(BENCH_ROUTES));
const retry = JSON.parse(BENCH_RETRY);
const deps = { db, routes, retry };

subscribe('undici:client:sendHeaders', () => void process.send?.('sent'));
process.send?.('ready');
for (;;) {
  const tick = await runTick(deps);
  if (tick.runId === null) {
    const open = await db.query<{ id: string }>({ text: 'select id from dlq_runs where ended_at is null' });
    for (const { id } of open.rows) await joinRun(deps, id);
  }
  await pause(100);
}
