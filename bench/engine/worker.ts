// One worker process of a bench: ticks, and helps with a tick that is running, as a continuation message would have it do.
// It never ends by itself. BENCH_ROUTES, BENCH_RETRY and DATABASE_URL say what it goes by.
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { continueRun } from '../../functions/retry/continue-run.ts';
import { runTick } from '../../functions/retry/run-tick.ts';
import { openDatabase } from '../../shared/database.ts';
import { RoutesSchema } from '../../shared/routes.ts';

const { DATABASE_URL: url = '', BENCH_ROUTES = '[]', BENCH_RETRY = '{}' } = process.env;
const db = openDatabase({ kind: 'url', url, poolMax: 2 }, 'bench worker');
const routes = v.parse(RoutesSchema, JSON.parse(BENCH_ROUTES));
const retry = { ...JSON.parse(BENCH_RETRY), maxEventsPerTick: Number.POSITIVE_INFINITY };
const deps = { db, routes, retry };

process.send?.('ready');
for (;;) {
  const tick = await runTick(deps);
  if (tick.runId === null) {
    const open = await db.query<{ id: string }>({ text: 'select id from dlq_runs where ended_at is null' });
    for (const { id } of open.rows) await continueRun(deps, id);
  }
  await pause(100);
}
