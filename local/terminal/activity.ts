import * as v from 'valibot';
import type { FunctionName } from '../../shared/config/setting.ts';
import { countOf } from '../../shared/count-of.ts';
import type { LogEntry } from '../../shared/log.ts';
import type { Terminal } from './terminal.ts';

/** Shows the work of the functions in the terminal, as far as they log it. */
export type Activity = ReturnType<typeof watchActivity>;

const CaptureSchema = v.object({
  action: v.literal('capture'),
  captured: v.number(),
  duplicates: v.number(),
});
const TickSchema = v.object({
  action: v.literal('tick'),
  tally: v.object({ claimed: v.number() }),
  unrouted: v.number(),
});

const sumAfterMs = 1000;

/** Sums up captures for a second; prints ticks that did something, warnings and other messages. */
export function watchActivity(terminal: Pick<Terminal, 'say'>) {
  let captured = 0;
  let duplicates = 0;
  let timer: NodeJS.Timeout | undefined;
  let unrouted = 0;
  let lastMessage = '';

  /** Prints the captures that are not yet printed, so that later lines follow them. */
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const parts = [captured > 0 && `captured ${countOf(captured, 'event')}`];
    if (duplicates > 0) parts.push(`ignored ${countOf(duplicates, 'duplicate')}`);
    [captured, duplicates] = [0, 0];
    const text = parts.filter(Boolean).join('; ');
    if (text) terminal.say('capture', text);
  };
  const readTick = ({ tally, unrouted: now }: v.InferOutput<typeof TickSchema>, message: string) => {
    if (tally.claimed > 0) terminal.say('retry', message);
    if (now > 0 && unrouted === 0)
      terminal.say('retry', `${countOf(now, 'event')} without a route: kept until a route in ROUTES matches`);
    unrouted = now;
  };
  const read = (name: FunctionName, entry: LogEntry) => {
    if (v.is(CaptureSchema, entry)) {
      captured += entry.captured;
      duplicates += entry.duplicates;
      timer ??= setTimeout(flush, sumAfterMs);
      return;
    }
    // The sums show the same as entries about single events and metrics.
    if (entry.eventId !== undefined || entry.action === 'metrics') return;
    flush();
    if (v.is(TickSchema, entry)) readTick(entry, entry.message);
    // During an outage of the database every request logs the same error.
    else if (entry.message !== lastMessage || entry.severity === 'INFO') terminal.say(name, entry.message);
    lastMessage = entry.message;
  };
  return { read, flush };
}
