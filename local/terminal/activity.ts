import type { FunctionName } from '../functions.ts';
import { type Entry, parseLine, type Tally } from './entry.ts';
import type { Terminal } from './terminal.ts';
import { countEvents, listCounts } from './words.ts';

/** Shows what the functions do, as far as they say so in their logs. */
export type Activity = {
  readonly read: (name: FunctionName, line: string) => void;
  /** Says what was summed up so far, so that what is said next follows it. */
  readonly flush: () => void;
  /** Open events without a route, as the last tick counted them. */
  readonly countUnrouted: () => number;
};

type Sum = { readonly kinds: Map<string, number>; duplicates: number };

/** Captures come one by one and are said as a sum: soon after a quiet time, and then at most so often. */
const captureSoonMs = 300;
const captureEveryMs = 5000;
/** What came in so short a time after the last sum waits for the next one. */
const captureRestMs = 800;

export function watchActivity(terminal: Pick<Terminal, 'say' | 'print'>): Activity {
  let sum: Sum = { kinds: new Map(), duplicates: 0 };
  let timer: NodeJS.Timeout | undefined;
  let saidAt = 0;
  let unrouted = 0;
  let lastMessage = '';

  const flush = () => {
    if (Date.now() - saidAt < captureRestMs) return;
    clearTimeout(timer);
    timer = undefined;
    const text = describeCaptures(sum);
    if (!text) return;
    terminal.say('capture', text);
    saidAt = Date.now();
    sum = { kinds: new Map(), duplicates: 0 };
  };
  const readAct = (entry: Entry) => {
    lastMessage = '';
    if (entry.act !== 'capture' && entry.act !== 'tick') return;
    if (entry.act === 'capture') {
      sum.kinds.set(entry.sourceKind, (sum.kinds.get(entry.sourceKind) ?? 0) + entry.captured);
      sum.duplicates += entry.duplicates;
      timer ??= setTimeout(flush, Math.max(captureSoonMs, saidAt + captureEveryMs - Date.now()));
      return;
    }
    const isNews = entry.unrouted > 0 && unrouted === 0;
    unrouted = entry.unrouted;
    if (entry.tally.claimed > 0 || isNews) flush();
    if (entry.tally.claimed > 0) terminal.say('retry', describeTick(entry.tally));
    if (isNews) terminal.say('retry', describeUnrouted(unrouted));
  };
  const read = (name: FunctionName, line: string) => {
    const parsed = parseLine(line);
    if (parsed.kind === 'act') return readAct(parsed.entry);
    flush();
    if (parsed.kind === 'text') return terminal.print(line);
    // What a lost database makes each request say is said once.
    if (parsed.message.message !== lastMessage || parsed.message.severity === 'INFO') {
      terminal.say(name, parsed.message.message);
    }
    lastMessage = parsed.message.message;
  };
  return { read, flush, countUnrouted: () => unrouted };
}

function describeCaptures({ kinds, duplicates }: Sum): string {
  const captured = [...kinds.values()].reduce((total, count) => total + count, 0);
  const again = duplicates > 0 ? `${countEvents(duplicates)} had been captured before` : '';
  const fresh = captured > 0 ? `captured ${countEvents(captured)}: ${listCounts([...kinds].sort())}` : '';
  return [fresh, again].filter(Boolean).join('; ');
}

function describeUnrouted(unrouted: number): string {
  const events = countEvents(unrouted);
  return `${events} without a route: kept, at no cost, until one in ROUTES matches`;
}

function describeTick(tally: Tally): string {
  const failed = tally.transient + tally.ambiguous + tally.permanent;
  const outcomes = listCounts([
    ['delivered', tally.delivered],
    ['will be tried again', failed - tally.failedPermanently],
    ['failed permanently', tally.failedPermanently],
    ['given back', tally.released],
    ['settled too late', tally.stale],
  ]);
  return `tried ${countEvents(tally.claimed)}: ${outcomes}`;
}
