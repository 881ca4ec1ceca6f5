import { once } from 'node:events';
import type { Settings } from './settings.ts';
import type { Shutdown } from './shutdown.ts';
import { type Running, startService } from './start-service.ts';
import { watchActivity } from './terminal/activity.ts';
import { formatStatuses } from './terminal/format-counts.ts';
import type { Speaker, Terminal } from './terminal/terminal.ts';

/** Runs the service until the operator stops it. Throws the failure that stopped it otherwise. */
export async function runService(settings: Settings, terminal: Terminal, shutdown: Shutdown): Promise<void> {
  const resources = new AsyncDisposableStack();
  const activity = watchActivity(terminal);
  const say = (speaker: Speaker) => (text: string) => {
    activity.flush();
    terminal.say(speaker, text);
  };
  const running: Running = {};
  try {
    say('dlo')('starting');
    await startService({ settings, terminal, activity, say, shutdown, resources }, running);
    if (!shutdown.signal.aborted) await once(shutdown.signal, 'abort');
    shutdown.signal.throwIfAborted();
  } catch (error) {
    if (!shutdown.isRequested()) throw error;
  } finally {
    await resources.disposeAsync();
  }
  say('dlo')(describeEnd(running));
}

function describeEnd({ lastCounts }: Running): string {
  if (!lastCounts) return 'stopped';
  const leased = lastCounts.PROCESSING ? '\ninterrupted deliveries are retried when their leases expire' : '';
  return `stopped: ${formatStatuses(lastCounts)}${leased}`;
}
