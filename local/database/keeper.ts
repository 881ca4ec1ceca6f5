// A process between the service and PostgreSQL. It stops PostgreSQL on SIGTERM, and also when the service has ended, even
// after a kill -9.
import { spawn } from 'node:child_process';

/** The first argument of the keeper, as JSON. */
export type KeeperTask = {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly options: { readonly cwd: string; readonly uid?: number; readonly gid?: number };
};

const timeoutMs = 4000;

const { command, parameters, options }: KeeperTask = JSON.parse(process.argv[2] ?? '');
const env = { ...process.env, LC_ALL: 'C' };
const postgres = spawn(command, parameters, { ...options, env, stdio: ['ignore', 'inherit', 'inherit'] });
postgres.on('exit', (code) => process.exit(code ?? 1));
postgres.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});

process.on('SIGTERM', stop);
process.on('disconnect', stop);
if (!process.connected) stop();

/** SIGINT is a fast shutdown; SIGQUIT skips the checkpoint, from which PostgreSQL recovers at its next start. */
function stop(): void {
  postgres.kill('SIGINT');
  setTimeout(() => postgres.kill('SIGQUIT'), timeoutMs);
}
