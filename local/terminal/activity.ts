import type { FunctionName } from '../../shared/config/setting.ts';
import type { LogEntry } from '../../shared/log.ts';
import type { Terminal } from './terminal.ts';

/** Shows what the functions log: not single events, not metrics, and only ticks that did something. */
export function showActivity(terminal: Pick<Terminal, 'say'>) {
  let lastMessage = '';
  const isIdle = (entry: LogEntry) =>
    entry.action === 'tick' && (entry.tally as { readonly claimed: number }).claimed === 0;
  return (name: FunctionName, entry: LogEntry) => {
    const { action, message, severity } = entry;
    if (entry.eventId !== undefined || action === 'metrics' || isIdle(entry)) return;
    // During an outage of the database every request logs the same error.
    if (message !== lastMessage || severity === 'INFO') terminal.say(name, message);
    lastMessage = message;
  };
}
