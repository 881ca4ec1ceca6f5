import { countOf, formatNumber } from '../../../shared/count-of.ts';
import {
  hoursOf,
  isByHour,
  type Period,
  type PeriodName,
  periods,
  periodUpTo,
  startOfStep,
} from '../../../shared/counts/periods.ts';
import { type Steps, sumUp } from '../../../shared/counts/sum-steps.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import { axisTime, barChart, swatch } from './chart.ts';
import { formatUtc } from './format.ts';
import { linkSwitch } from './links.ts';
import { section } from './section.ts';

const words = {
  '1h': '1 hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
} as const satisfies Record<PeriodName, string>;

/** A past period without the one before it, its words, and how a sentence names it: `in 24 hours`. */
export type Range = Period & { readonly name: PeriodName; readonly words: string; readonly phrase: string };

/**
 * The period in `?range=`; by default the last 24 hours, or a shorter one if nothing is known from before it.
 */
export function readRange(query: URLSearchParams, now: Date, knownSince = new Date(0)): Range {
  const asked = query.get('range') ?? '';
  const hours = (now.getTime() - knownSince.getTime()) / 3_600_000;
  const fitting = hours < 1 ? '1h' : hours < 6 ? '6h' : '24h';
  const name = Object.hasOwn(periods, asked) ? (asked as PeriodName) : fitting;
  const period = periodUpTo(now, name);
  return { ...period, before: period.since, name, words: words[name], phrase: `in ${words[name]}` };
}

/** The clock hours that a period touches, for what is counted by hour; the period itself if its steps are. */
export function hourRange(range: Range): Range {
  const hours = hoursOf(range);
  if (hours === range) return range;
  const phrase = `since ${hours.since.toISOString().slice(11, 16)} UTC`;
  return { ...range, ...hours, before: hours.since, words: countOf(hours.steps, 'clock hour'), phrase };
}

type Flow = Steps & {
  readonly range: Range;
  /** The events of the chart, as text of a filter. */
  readonly filter?: string;
};

/** The section with the failures and deliveries of a period, and links to the same page with another one. */
export function flowSection(path: string, { range, steps, isExact, filter = '' }: Flow): Html {
  const hasDeliveries = isByHour(range);
  const bars = steps.map(({ step, failures, deliveries }) => {
    const [at, to] = [startOfStep(range, step), startOfStep(range, step + 1)];
    const q = `${filter} failed:>${at.toISOString()} failed:<${to.toISOString()}`.trim();
    const says = `${formatNumber(failures)} failed${deliveries === null ? '' : `, ${formatNumber(deliveries)} delivered`}`;
    const parts = [['in', failures] as const, ...(hasDeliveries ? [['out', deliveries ?? 0] as const] : [])];
    return { step, at, parts, says, href: failures > 0 ? searchLink(q) : undefined };
  });
  const isDay = range.stepMinutes > 60;
  const quarters = [0, 1, 2, 3].map((quarter) => Math.floor((quarter * range.steps) / 4));
  const axis = [...quarters.map((step) => axisTime(startOfStep(range, step), isDay)), 'now'];
  const sum = (of: 'failures' | 'deliveries') => formatNumber(sumUp(steps, of));
  const delivered = hasDeliveries ? ` and ${sum('deliveries')} were delivered` : '';
  const peak = steps.toSorted((a, b) => b.failures - a.failures)[0];
  const max = peak && peak.failures > 0 ? ` Most failed at ${formatUtc(startOfStep(range, peak.step))}.` : '';
  const label = `In ${range.words} ${sum('failures')} failed${delivered}.${max}`;
  const partial = !isExact && html`· only the latest ${sum('failures')}`;
  const legend = html`<span class="muted small">${swatch('in', 'failed')}${hasDeliveries && swatch('out', 'delivered')}${partial}</span>`;
  const variants = Object.entries(words) as [PeriodName, string][];
  const links = linkSwitch('Period', variants, {
    current: range.name,
    href: (name) => `${path}?range=${name}`,
  });
  return section('Throughput', barChart({ label, steps: range.steps, bars, axis }), html`${legend}${links}`);
}
