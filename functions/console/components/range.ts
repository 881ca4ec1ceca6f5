import { type PeriodName, periods, periodUpTo } from '../../../shared/counts/periods.ts';
import { isByHour } from '../../../shared/counts/sum-steps.ts';
import type { Html } from '../html.ts';
import { linkSwitch } from './links.ts';

const minuteMs = 60_000;

const words = {
  '1h': '1 hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
} as const satisfies Record<PeriodName, string>;

/** A past period in equal steps, and its words. */
export type Range = ReturnType<typeof readRange>;

/** The period in `?range=`; by default the last 24 hours, or a shorter one if nothing is known from before it. */
export function readRange(query: URLSearchParams, now: Date, knownSince?: Date) {
  const asked = query.get('range') ?? '';
  const name = Object.hasOwn(periods, asked) ? (asked as PeriodName) : fittingRange(now, knownSince);
  return { ...periodUpTo(now, name), words: words[name] };
}

/** The period in `?range=` if its steps are whole hours; else the last 24 hours. */
export function readHourRange(query: URLSearchParams, now: Date): Range {
  const range = readRange(query, now);
  return isByHour(range) ? range : { ...periodUpTo(now, '24h'), words: words['24h'] };
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
