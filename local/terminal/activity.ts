import * as v from 'valibot';
import { countOf } from '../../shared/count-of.ts';
import type { LogEntry } from '../../shared/log.ts';
import type { FunctionName } from '../functions.ts';
import type { Terminal } from './terminal.ts';

/** Shows the work of the functions in the terminal, as far as they log it. */
export type Activity = {
  readonly read: (name: FunctionName, entry: LogEntry) => void;
  /** Prints pending sums, so that later lines follow them. */
  readonly flush: () => void;
};

const count = v.number();
const TallySchema = v.object({
  ...v.entriesFromList(['claimed', 'delivered', 'transient', 'permanent', 'ambiguous'], count),
  ...v.entriesFromList(['released', 'stale', 'failedPermanently'], count),
});

/** Log entries that the terminal aggregates: all others are shown as they are. */
const ActionSchema = v.variant('action', [
  v.object({ action: v.literal('capture'), captured: count, duplicates: count, sourceKind: v.string() }),
  v.object({ action: v.literal('tick'), tally: TallySchema, unrouted: count }),
]);

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
  const readAction = (action: v.InferOutput<typeof ActionSchema>) => {
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
    if (isFirstUnrouted) {
      terminal.say(
        'retry',
        `${countOf(unrouted, 'event')} without a route: kept until a route in ROUTES matches`,
      );
    }
  };
  const read = (name: FunctionName, entry: LogEntry) => {
    if (v.is(ActionSchema, entry)) return readAction(entry);
    // The sums show the same as entries about single events and metrics.
    if (entry.eventId !== undefined || entry.action === 'metrics') return;
    flush();
    // During an outage of the database every request logs the same error.
    if (entry.message !== lastMessage || entry.severity === 'INFO') terminal.say(name, entry.message);
    lastMessage = entry.message;
  };
  return { read, flush };
}

function describeCaptures({ kinds, duplicates }: Sum): string {
  const captured = [...kinds.values()].reduce((total, events) => total + events, 0);
  const repeated = duplicates > 0 ? `ignored ${countOf(duplicates, 'duplicate')}` : '';
  const added =
    captured > 0 ? `captured ${countOf(captured, 'event')}: ${formatKinds([...kinds].sort())}` : '';
  return [added, repeated].filter(Boolean).join('; ');
}

function describeTick(tally: v.InferOutput<typeof TallySchema>): string {
  const failed = tally.transient + tally.ambiguous + tally.permanent;
  const outcomes = formatKinds([
    ['delivered', tally.delivered],
    ['still failing', failed - tally.failedPermanently],
    ['failed permanently', tally.failedPermanently],
    ['released', tally.released],
    ['settled too late', tally.stale],
  ]);
  return `retried ${countOf(tally.claimed, 'event')}: ${outcomes}`;
}

/** Formats numbers above zero: `2 pubsub, 1 report`, or `all pubsub` if only one is. */
function formatKinds(kinds: readonly (readonly [name: string, events: number])[]): string {
  const some = kinds.filter(([, events]) => events > 0);
  const [only] = some;
  if (only && some.length === 1) return only[1] === 1 ? only[0] : `all ${only[0]}`;
  return some.map(([name, events]) => `${events} ${name}`).join(', ');
}
