import type { Html } from '../html.ts';
import { linkSwitch } from './links.ts';

const hourMs = 3_600_000;

const ranges = {
  '24h': { words: '24 hours', hours: 1, steps: 24 },
  '7d': { words: '7 days', hours: 6, steps: 28 },
  '30d': { words: '30 days', hours: 24, steps: 30 },
} as const;

/** A past period in equal steps of whole hours. The last step is the current one. */
export type Range = ReturnType<typeof readRange>;

/** The period in `?range=`; by default the last 24 hours. */
export function readRange(query: URLSearchParams, now: Date) {
  const asked = query.get('range') ?? '';
  const name = Object.hasOwn(ranges, asked) ? (asked as keyof typeof ranges) : '24h';
  const { hours, steps } = ranges[name];
  const until = (Math.floor(now.getTime() / hourMs) + 1) * hourMs;
  const length = steps * hours * hourMs;
  return {
    name,
    ...ranges[name],
    since: new Date(until - length),
    until: new Date(until),
    /** The start of the preceding period of the same length. */
    before: new Date(until - 2 * length),
  };
}

/** Links to the same page with another period. */
export function rangeSwitch(path: string, current: Range): Html {
  const periods = Object.entries(ranges).map(([name, { words }]) => [name, words] as const);
  return linkSwitch('Period', periods, { current: current.name, href: (name) => `${path}?range=${name}` });
}

/** The start of a step. */
export function startOfStep({ since, hours }: Range, step: number): Date {
  return new Date(since.getTime() + step * hours * hourMs);
}
