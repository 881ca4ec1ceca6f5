import { countOf } from '../../../shared/count-of.ts';
import {
  hoursOf,
  type Period,
  type PeriodName,
  periods,
  periodUpTo,
} from '../../../shared/counts/periods.ts';
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

/** A past period, its words, and how a sentence names it: `in 24 hours`. */
export type Range = Period & { readonly name: PeriodName; readonly words: string; readonly phrase: string };

/**
 * The period in `?range=`; by default the last 24 hours, or a shorter one if nothing is known from before it.
 */
export function readRange(query: URLSearchParams, now: Date, knownSince?: Date): Range {
  const asked = query.get('range') ?? '';
  const name = Object.hasOwn(periods, asked) ? (asked as PeriodName) : fittingRange(now, knownSince);
  return { ...periodUpTo(now, name), name, words: words[name], phrase: `in ${words[name]}` };
}

/** The clock hours that a period touches, for what is counted by hour; the period itself if its steps are. */
export function hourRange(range: Range): Range {
  const hours = hoursOf(range);
  if (hours === range) return range;
  const phrase = `since ${hours.since.toISOString().slice(11, 16)} UTC`;
  return { ...range, ...hours, words: countOf(hours.steps, 'clock hour'), phrase };
}

function fittingRange(now: Date, knownSince: Date | undefined): PeriodName {
  const minutes = knownSince ? (now.getTime() - knownSince.getTime()) / minuteMs : Number.POSITIVE_INFINITY;
  if (minutes < 60) return '1h';
  return minutes < 360 ? '6h' : '24h';
}

/** Links to the same page with another period. */
export function rangeSwitch(path: string, current: Range): Html {
  const names = Object.keys(periods) as PeriodName[];
  const variants = names.map((name) => [name, words[name]] as const);
  return linkSwitch('Period', variants, { current: current.name, href: (name) => `${path}?range=${name}` });
}
