import type { Html } from '../html.ts';
import { linkSwitch } from './links.ts';

const hourMs = 3_600_000;

const ranges = {
  '24h': { words: '24 hours', hours: 1, steps: 24 },
  '7d': { words: '7 days', hours: 6, steps: 28 },
  '30d': { words: '30 days', hours: 24, steps: 30 },
} as const;

/** A past period in equal steps of whole hours. The last step is the current one. */
export type Range = {
  readonly name: keyof typeof ranges;
  readonly words: string;
  readonly since: Date;
  readonly until: Date;
  /** The start of the preceding period of the same length. */
  readonly before: Date;
  readonly hours: number;
  readonly steps: number;
};

/** The period in `?range=`; by default the last 24 hours. */
export function readRange(query: URLSearchParams, now: Date): Range {
  const asked = query.get('range') ?? '';
  const name = Object.hasOwn(ranges, asked) ? (asked as keyof typeof ranges) : '24h';
  const { words, hours, steps } = ranges[name];
  const until = (Math.floor(now.getTime() / hourMs) + 1) * hourMs;
  const length = steps * hours * hourMs;
  return {
    name,
    words,
    hours,
    steps,
    since: new Date(until - length),
    until: new Date(until),
    before: new Date(until - 2 * length),
  };
}

/** Links to the same page with another period. */
export function rangeSwitch(path: string, current: Range): Html {
  const links = Object.entries(ranges).map(([name, { words }]) => ({
    href: `${path}?range=${name}`,
    text: words,
    isCurrent: name === current.name,
  }));
  return linkSwitch('Period', links);
}

/** The start of a step. */
export function startOfStep({ since, hours }: Range, step: number): Date {
  return new Date(since.getTime() + step * hours * hourMs);
}
