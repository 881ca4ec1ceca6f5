import type { LogEntry } from '../../shared/log.ts';
import type { FunctionName } from '../functions.ts';
import { formatEvents, formatKinds } from './format-counts.ts';
import { type Action, parseAction, type Tally } from './log-entry.ts';
import type { Terminal } from './terminal.ts';

/** Shows the work of the functions in the terminal, as far as they log it. */
export type Activity = {
  readonly read: (name: FunctionName, entry: LogEntry) => void;
  /** Prints pending sums, so that later lines follow them. */
  readonly flush: () => void;
  /** Returns the number of open events without a route, as of the last tick. */
  readonly countUnrouted: () => number;
};

type Sum = { readonly kinds: Map<string, number>; duplicates: number };

/** Captures are printed as a sum: 300 ms after the first one, then every 5 s. */
const firstSumMs = 300;
const sumIntervalMs = 5000;
/** Minimum time between two sums. */
const minIntervalMs = 800;

/** Returns an activity that sums up captures, and prints ticks that claimed events, warnings and other log messages. */
export function watchActivity(terminal: Pick<Terminal, 'say'>): Activity {
  let sum: Sum = { kinds: new Map(), duplicates: 0 };
  let timer: NodeJS.Timeout | undefined;
  let printedAt = 0;
  let unrouted = 0;
  let lastMessage = '';

  const flush = () => {
    if (Date.now() - printedAt < minIntervalMs) return;
    clearTimeout(timer);
    timer = undefined;
    const text = describeCaptures(sum);
    if (!text) return;
    terminal.say('capture', text);
    printedAt = Date.now();
    sum = { kinds: new Map(), duplicates: 0 };
  };
  const readAction = (action: Action) => {
    lastMessage = '';
    if (action.action === 'capture') {
      sum.kinds.set(action.sourceKind, (sum.kinds.get(action.sourceKind) ?? 0) + action.captured);
      sum.duplicates += action.duplicates;
      timer ??= setTimeout(flush, Math.max(firstSumMs, printedAt + sumIntervalMs - Date.now()));
      return;
    }
    const isFirstUnrouted = action.unrouted > 0 && unrouted === 0;
    unrouted = action.unrouted;
    if (action.tally.claimed > 0 || isFirstUnrouted) flush();
    if (action.tally.claimed > 0) terminal.say('retry', describeTick(action.tally));
    if (isFirstUnrouted) terminal.say('retry', describeUnrouted(unrouted));
  };
  const read = (name: FunctionName, entry: LogEntry) => {
    const action = parseAction(entry);
    if (action) return readAction(action);
    if (isHidden(entry)) return;
    flush();
    // During an outage of the database every request logs the same error.
    if (entry.message !== lastMessage || entry.severity === 'INFO') terminal.say(name, entry.message);
    lastMessage = entry.message;
  };
  return { read, flush, countUnrouted: () => unrouted };
}

/** Entries about single events and metrics: the sums show the same. */
function isHidden({ eventId, action }: LogEntry): boolean {
  return eventId !== undefined || action === 'metrics';
}

function describeCaptures({ kinds, duplicates }: Sum): string {
  const captured = [...kinds.values()].reduce((total, count) => total + count, 0);
  const repeated = duplicates > 0 ? `ignored ${duplicates} duplicate${duplicates === 1 ? '' : 's'}` : '';
  const added = captured > 0 ? `captured ${formatEvents(captured)}: ${formatKinds([...kinds].sort())}` : '';
  return [added, repeated].filter(Boolean).join('; ');
}

function describeUnrouted(unrouted: number): string {
  return `${formatEvents(unrouted)} without a route: kept until a route in ROUTES matches`;
}

function describeTick(tally: Tally): string {
  const failed = tally.transient + tally.ambiguous + tally.permanent;
  const outcomes = formatKinds([
    ['delivered', tally.delivered],
    ['still failing', failed - tally.failedPermanently],
    ['failed permanently', tally.failedPermanently],
    ['released', tally.released],
    ['settled too late', tally.stale],
  ]);
  return `retried ${formatEvents(tally.claimed)}: ${outcomes}`;
}
