import type { Html } from '../html.ts';
import { linkSwitch } from './links.ts';

const minuteMs = 60_000;

const ranges = {
  '1h': { words: '1 hour', stepMinutes: 1, steps: 60 },
  '6h': { words: '6 hours', stepMinutes: 5, steps: 72 },
  '24h': { words: '24 hours', stepMinutes: 60, steps: 24 },
  '7d': { words: '7 days', stepMinutes: 360, steps: 28 },
  '30d': { words: '30 days', stepMinutes: 1440, steps: 30 },
} as const;

type RangeName = keyof typeof ranges;

/** A past period in equal steps. The last step is the current one. */
export type Range = ReturnType<typeof readRange>;

/** The period in `?range=`; by default the last 24 hours, or a shorter one if nothing is known from before it. */
export function readRange(query: URLSearchParams, now: Date, knownSince?: Date) {
  const asked = query.get('range') ?? '';
  const name = Object.hasOwn(ranges, asked) ? (asked as RangeName) : fittingRange(now, knownSince);
  const { stepMinutes, steps } = ranges[name];
  // Steps of more than an hour end with an hour: midnight differs from zone to zone.
  const grain = Math.min(stepMinutes, 60) * minuteMs;
  const until = (Math.floor(now.getTime() / grain) + 1) * grain;
  const length = steps * stepMinutes * minuteMs;
  return {
    name,
    ...ranges[name],
    since: new Date(until - length),
    until: new Date(until),
    /** The start of the preceding period of the same length. */
    before: new Date(until - 2 * length),
  };
}

function fittingRange(now: Date, knownSince: Date | undefined): RangeName {
  const minutes = knownSince ? (now.getTime() - knownSince.getTime()) / minuteMs : Number.POSITIVE_INFINITY;
  if (minutes < 60) return '1h';
  return minutes < 360 ? '6h' : '24h';
}

/** Links to the same page with another period. */
export function rangeSwitch(path: string, current: Range): Html {
  const periods = Object.entries(ranges).map(([name, { words }]) => [name, words] as const);
  return linkSwitch('Period', periods, { current: current.name, href: (name) => `${path}?range=${name}` });
}

/** The start of a step. */
export function startOfStep({ since, stepMinutes }: Range, step: number): Date {
  return new Date(since.getTime() + step * stepMinutes * minuteMs);
}
