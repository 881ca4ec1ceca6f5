import { type PeriodName, periods, periodUpTo } from '../../../shared/counts/periods.ts';
import { isByHour, type Period } from '../../../shared/counts/sum-steps.ts';
import type { Html } from '../html.ts';
import { linkSwitch } from './links.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const words = {
  '1h': '1 hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
} as const satisfies Record<PeriodName, string>;

/** A past period in equal steps, and its words: `24 hours`, and `in 24 hours`. */
export type Range = Period & {
  readonly name: PeriodName;
  readonly steps: number;
  readonly words: string;
  readonly phrase: string;
};

/** The period in `?range=`; by default the last 24 hours, or a shorter one if nothing is known from before it. */
export function readRange(query: URLSearchParams, now: Date, knownSince?: Date): Range {
  const asked = query.get('range') ?? '';
  const name = Object.hasOwn(periods, asked) ? (asked as PeriodName) : fittingRange(now, knownSince);
  return rangeUpTo(now, name);
}

/** The period in `?range=` if its steps are whole hours; else the last 24 hours. */
export function readHourRange(query: URLSearchParams, now: Date): Range {
  const range = readRange(query, now);
  return isByHour(range) ? range : rangeUpTo(now, '24h');
}

/** The clock hours that a period touches; the same period if its steps are whole hours. */
export function hoursOf(range: Range): Range {
  if (isByHour(range)) return range;
  const [since, until] = [
    Math.floor(range.since.getTime() / hourMs),
    Math.ceil(range.until.getTime() / hourMs),
  ];
  const at = (hour: number) => new Date(hour * hourMs);
  return {
    ...range,
    stepMinutes: 60,
    steps: until - since,
    since: at(since),
    before: at(2 * since - until),
    until: at(until),
    phrase: `since ${at(since).toISOString().slice(11, 16)} UTC`,
  };
}

function rangeUpTo(now: Date, name: PeriodName): Range {
  return { ...periodUpTo(now, name), words: words[name], phrase: `in ${words[name]}` };
}

function fittingRange(now: Date, knownSince: Date | undefined): PeriodName {
  const minutes = knownSince ? (now.getTime() - knownSince.getTime()) / minuteMs : Number.POSITIVE_INFINITY;
  if (minutes < 60) return '1h';
  return minutes < 360 ? '6h' : '24h';
}

/** Links to the same page with another period; only with those of whole hours if `isByHourOnly`. */
export function rangeSwitch(path: string, current: Range, isByHourOnly = false): Html {
  const all = Object.keys(periods) as PeriodName[];
  const names = all.filter((name) => !isByHourOnly || isByHour(periods[name]));
  const variants = names.map((name) => [name, words[name]] as const);
  return linkSwitch('Period', variants, { current: current.name, href: (name) => `${path}?range=${name}` });
}
