import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { RetryConfig } from '../../shared/retry-config.ts';

const file = path.join(import.meta.dirname, 'worker.ts');

/** What the workers of a bench go by, with anything overridden. */
export function benchRetry(settings: Partial<RetryConfig> = {}): RetryConfig {
  return {
    enabled: true,
    batchSize: 100,
    maxRetries: 240,
    tickBudgetSeconds: 600,
    continueTopic: undefined,
    continueBudgetSeconds: 480,
    workers: 8,
    maxEventsPerTick: Number.POSITIVE_INFINITY,
    leaseSeconds: 20,
    maxReturns: 10,
    ...settings,
  };
}

/** Starts worker processes and waits until all of them are at work. */
export async function startWorkers(
  count: number,
  given: { readonly url: string; readonly routes: readonly object[]; readonly retry: RetryConfig },
): Promise<ChildProcess[]> {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: given.url,
    BENCH_ROUTES: JSON.stringify(given.routes),
    BENCH_RETRY: JSON.stringify(given.retry),
  };
  const workers = Array.from({ length: count }, () =>
    spawn(process.execPath, [file], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  return workers;
}

/** Ends workers at once, wherever they are. */
export async function killWorkers(workers: readonly ChildProcess[]): Promise<void> {
  const alive = workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const ended = alive.map((worker) => once(worker, 'exit'));
  for (const worker of alive) worker.kill('SIGKILL');
  await Promise.all(ended);
}
