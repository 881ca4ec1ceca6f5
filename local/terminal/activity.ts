import type { FunctionName } from '../../shared/config/setting.ts';
import { countOf } from '../../shared/count-of.ts';
import type { LogEntry } from '../../shared/log.ts';
import type { Terminal } from './terminal.ts';

/** Shows what the functions log: not single events, not metrics, and only ticks that did something. */
export function showActivity(terminal: Pick<Terminal, 'say'>) {
  let unrouted = 0;
  let lastMessage = '';

  /** Whether a tick claimed events. Says once that events have no route. */
  const isBusy = (entry: LogEntry) => {
    const now = Number(entry.unrouted);
    if (now > 0 && unrouted === 0)
      terminal.say('retry', `${countOf(now, 'event')} without a route: kept until a route in ROUTES matches`);
    unrouted = now;
    return (entry.tally as { readonly claimed: number }).claimed > 0;
  };
  return (name: FunctionName, entry: LogEntry) => {
    const { action, message, severity } = entry;
    if (entry.eventId !== undefined || action === 'metrics' || (action === 'tick' && !isBusy(entry))) return;
    // During an outage of the database every request logs the same error.
    if (message !== lastMessage || severity === 'INFO') terminal.say(name, message);
    lastMessage = message;
  };
}
