import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalServiceError } from '../local-service-error.ts';
import type { ClusterPaths } from './cluster-paths.ts';
import type { KeeperTask } from './keeper.ts';

/** A PostgreSQL that accepts connections. */
export type Postgres = {
  /** The keeper: PostgreSQL ends with it. */
  readonly keeper: ChildProcess;
  /** Rejects with a LocalServiceError as soon as PostgreSQL has ended, for whatever reason. */
  readonly ended: Promise<never>;
  /** Ends PostgreSQL within 7 s. */
  readonly stop: () => Promise<void>;
};

const keeperFile = join(import.meta.dirname, 'keeper.ts');
/** Longer than the keeper itself waits for PostgreSQL. */
const stopTimeoutMs = 7000;
const stderrTailLength = 2000;

/**
 * Starts PostgreSQL on a cluster and waits until it accepts connections on 127.0.0.1. `settings` are of the form
 * `name=value`. Throws a LocalServiceError with the stderr tail if PostgreSQL ends before.
 */
export async function startPostgres(
  { folder, data, programs, user }: ClusterPaths,
  port: number,
  settings: readonly string[],
): Promise<Postgres> {
  const options = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings];
  const task: KeeperTask = {
    command: join(programs, 'postgres'),
    parameters: ['-D', data, '-p', `${port}`, ...options.flatMap((each) => ['-c', each])],
    options: { cwd: folder, ...user },
  };
  // A process group of its own: Ctrl-C must reach this process alone, which stops everything in order.
  const keeper = spawn(process.execPath, [keeperFile, JSON.stringify(task)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderrTail = '';
  const ready = new Promise<void>((resolve) => {
    keeper.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderrTail = (stderrTail + chunk).slice(-stderrTailLength);
      if (stderrTail.includes('ready to accept connections')) resolve();
    });
  });
  const allRead = once(keeper, 'close');
  const ended = once(keeper, 'exit').then(async ([code, signal]): Promise<never> => {
    // A killed keeper may leave a PostgreSQL that holds the pipe open.
    await Promise.race([allRead, delay(300)]);
    const end = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
    throw new LocalServiceError(`PostgreSQL ${end}.\n${stderrTail}`.trimEnd());
  });
  ended.catch(() => {});
  await Promise.race([ready, ended]);
  return { keeper, ended, stop: () => stop(keeper) };
}

async function stop(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  const exited = once(keeper, 'exit');
  const timeout = setTimeout(() => keeper.kill('SIGKILL'), stopTimeoutMs);
  keeper.kill('SIGTERM');
  await exited;
  clearTimeout(timeout);
}
