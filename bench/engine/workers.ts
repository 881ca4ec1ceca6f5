import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type RetryConfig, readRetry } from '../../shared/config/retry.ts';
import { unwrap } from '../../shared/config/validate.ts';

const file = path.join(import.meta.dirname, 'worker.ts');

/** Returns the configuration of a benchmark's workers, with overrides. */
export function benchRetry(settings: Partial<RetryConfig> = {}): RetryConfig {
  const defaults = unwrap(readRetry({}));
  return { ...defaults, batchSize: 100, tickBudgetSeconds: 600, workers: 8, leaseSeconds: 20, ...settings };
}

/** Starts worker processes and waits until all of them are running. */
export async function startWorkers(
  count: number,
  config: { readonly url: string; readonly routes: readonly object[]; readonly retry: RetryConfig },
): Promise<ChildProcess[]> {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: config.url,
    BENCH_ROUTES: JSON.stringify(config.routes),
    BENCH_RETRY: JSON.stringify(config.retry),
  };
  const workers = Array.from({ length: count }, () =>
    spawn(process.execPath, [file], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  return workers;
}

/** Kills workers at once, whatever they are doing. */
export async function killWorkers(workers: readonly ChildProcess[]): Promise<void> {
  const alive = workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const ended = alive.map((worker) => once(worker, 'exit'));
  for (const worker of alive) worker.kill('SIGKILL');
  await Promise.all(ended);
}
