// A replay of 200,000 events through every state: previewed, created, paused, resumed, its worker killed with -9, continued
// by others, cancelled; then another run over the remaining events, to its end. At each point it prints the progress of the
// run beside the deliveries that the target counted.
//   DATABASE_URL=postgres://... node bench/replay-run/measure.ts [events]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { recover } from '../../shared/delivery/recover.ts';
import { RoutesSchema } from '../../shared/delivery/routes.ts';
import { changeRun, getRun } from '../../shared/replay/change-run.ts';
import { createRun } from '../../shared/replay/create-run.ts';
import { previewRun } from '../../shared/replay/preview-run.ts';
import { readRunRequest } from '../../shared/replay/run-request.ts';
import { retryConfig } from '../../test/support/routes.ts';
import { retry } from './settings.ts';
import { startCountingTarget } from './target.ts';

const events = Number(process.argv[2] ?? 200_000);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const db = openDatabase({ kind: 'url', url, poolMax: 4 }, 'bench');
const target = await startCountingTarget();
const deps = {
  db,
  costLimit: 0,
  routes: v.parse(RoutesSchema, [{ target: { kind: 'http', url: target.url } }]),
};
const body = { reason: 'bench', filter: { status: ['PENDING', 'FAILED_PERMANENTLY'] }, samples: 5 };
const request = readRunRequest({ raw: JSON.stringify(body), body, now: new Date() });

await db.query({
  text: `insert into dlq_events (event_type, payload, body, error_reason, error_class, fingerprint, source_kind, status, processed_at)
    select 'order.' || n % 10, jsonb_build_object('n', n), convert_to(format('{"n": %s}', n), 'UTF8'), 'timeout', 'Timeout',
      'f' || n % 7, 'bench', case when n % 2 = 0 then 'PENDING' else 'FAILED_PERMANENTLY' end, case when n % 2 = 1 then now() end
    from generate_series(1, $1::int) n`,
  values: [events],
});
await db.query({ text: 'vacuum analyze' });

console.log('| point | selected | delivered | failed | skipped | waiting | in flight | sent | sent twice |');
console.log('|---|---|---|---|---|---|---|---|---|');
const preview = await timed('preview', () => previewRun(deps, request));
const { run } = await timed('create', () => createRun(deps, request, 'bench'));
if (preview.selected !== run.selected) throw new Error('The run selected other events than its preview.');
const action = { runId: run.id, actor: 'bench', reason: null };

const startedAt = performance.now();
const first = startWorker(run.id);
await until(() => target.arrived.size > events / 5);
await changeRun(db, 'pause', action);
await first.ended;
await report('paused', run.id);
console.log(
  `| ${((1000 * target.arrived.size) / (performance.now() - startedAt)).toFixed(0)} events/s by one worker |`,
);

await changeRun(db, 'resume', action);
const second = startWorker(run.id);
await until(() => target.arrived.size > (2 * events) / 5);
second.child.kill('SIGKILL');
await second.ended;
await report('killed with -9', run.id);

const others = [startWorker(run.id), startWorker(run.id)];
await until(() => target.arrived.size > (3 * events) / 5);
await report('two other workers', run.id);
await until(async () => (await getRun(db, run.id)).delivered > (4 * events) / 5);
await changeRun(db, 'cancel', action);
await Promise.all(others.map(({ ended }) => ended));
await report('cancelled', run.id);

// The events of the killed worker are recovered after their leases, as each tick does at its start.
await pause(retry.leaseSeconds * 1000);
await recover({ db, retry: retryConfig({ maxLost: 5 }) });
await report('leases expired', run.id);

const rest = await timed('create another', async () => (await createRun(deps, request, 'bench')).run);
await startWorker(rest.id).ended;
await report('other run done', rest.id);
target.close();
await db.close();

function startWorker(runId: string) {
  const file = path.join(import.meta.dirname, 'worker.ts');
  const child = spawn(process.execPath, [file, target.url, runId], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { child, ended: once(child, 'exit') };
}

async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isMet())) await pause(20);
}

async function timed<T>(what: string, action: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await action();
  console.log(`| ${what}: ${(performance.now() - startedAt).toFixed(0)} ms |`);
  return result;
}

async function report(point: string, runId: string): Promise<void> {
  const { selected, delivered, failed, skipped, waiting, inFlight } = await getRun(db, runId);
  const sent = [...target.arrived.values()].reduce((sum, times) => sum + times, 0);
  const twice = [...target.arrived.values()].filter((times) => times > 1).length;
  console.log(
    `| ${[point, selected, delivered, failed, skipped, waiting, inFlight, sent, twice].join(' | ')} |`,
  );
}
