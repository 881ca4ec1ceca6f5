// A process of its own between the office and PostgreSQL: it stops PostgreSQL properly when the office tells it to,
// and also when the office is gone, even after a kill -9.
import { spawn } from 'node:child_process';

/** What the keeper is told in its first argument, as JSON. */
export type Kept = {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly options: { readonly cwd: string; readonly uid?: number; readonly gid?: number };
};

const patienceMs = 4000;

const { command, parameters, options }: Kept = JSON.parse(process.argv[2] ?? '');
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

/** First without waiting for clients, then without a checkpoint: PostgreSQL recovers from that at its next start. */
function stop(): void {
  postgres.kill('SIGINT');
  setTimeout(() => postgres.kill('SIGQUIT'), patienceMs);
}
