import { once } from 'node:events';
import { ConfigError, DeadLetterError } from '../shared/errors.ts';
import { readSettings } from './settings.ts';
import { watchForShutdown } from './shutdown.ts';
import { type Running, startService } from './start-service.ts';
import { openTerminal } from './terminal/terminal.ts';

// `npm start`: the complete service on this machine, until Ctrl-C.
try {
  await runService();
  process.exit(0);
} catch (error) {
  console.error(error instanceof DeadLetterError ? error.message : error);
  process.exit(1);
}

/** Runs the service until the operator stops it. Throws the failure that stopped it otherwise. */
async function runService(): Promise<void> {
  rejectArguments(process.argv.slice(2));
  const settings = readSettings(process.env);
  const terminal = openTerminal(process.stdout);
  const shutdown = watchForShutdown();
  const resources = new AsyncDisposableStack();
  const running: Running = {};
  try {
    terminal.say('dlo', 'starting');
    await startService({ settings, terminal, shutdown, resources }, running);
    if (!shutdown.signal.aborted) await once(shutdown.signal, 'abort');
    shutdown.signal.throwIfAborted();
  } catch (error) {
    if (!shutdown.isRequested()) throw error;
  } finally {
    await resources.disposeAsync();
  }
  terminal.say('dlo', describeEnd(running));
}

/** Throws a ConfigError: an argument that is ignored would look like one that works. */
function rejectArguments(args: readonly string[]): void {
  const remedy = 'Set environment variables in place of arguments: docs/configuration.md lists them.';
  const problems = args.map((value) => ({ field: 'argument', value, remedy }));
  if (problems.length > 0) throw new ConfigError(problems);
}

function describeEnd({ depths }: Running): string {
  if (!depths) return 'stopped';
  const { pending, processing, succeeded, failedPermanently, discarded } = depths;
  const last = discarded > 0 ? `, ${discarded} discarded` : '';
  const leased = processing > 0 ? '\ninterrupted deliveries are retried when their leases expire' : '';
  return `stopped: ${pending} pending, ${processing} processing, ${succeeded} succeeded, ${failedPermanently} failed permanently${last}${leased}`;
}
