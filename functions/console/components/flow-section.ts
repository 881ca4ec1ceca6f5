import { formatNumber } from '../../../shared/count-of.ts';
import { isByHour, startOfStep } from '../../../shared/counts/periods.ts';
import { type Step, type Steps, sumUp } from '../../../shared/counts/sum-steps.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import { axisTime, barChart, swatch } from './chart.ts';
import { formatUtc } from './format.ts';
import { type Range, rangeSwitch } from './range.ts';
import { section } from './section.ts';

type Flow = Steps & {
  readonly range: Range;
  /** The events of the chart, as text of a filter. */
  readonly filter?: string;
};

/** The section with the failures and deliveries of a period, and the switch of periods. */
export function flowSection(path: string, { range, steps: all, isExact, filter = '' }: Flow): Html {
  const steps = all.filter(({ step }) => step >= 0);
  const isDay = range.stepMinutes > 60;
  const bars = steps.map((each) => ({
    step: each.step,
    at: startOfStep(range, each.step),
    parts: [
      ['in', each.failures] as const,
      ...(isByHour(range) ? [['out', each.deliveries ?? 0] as const] : []),
    ],
    says: describeCounts(each),
    href: each.failures > 0 ? eventsOf(range, each.step, filter) : undefined,
  }));
  const quarters = [0, 1, 2, 3].map((quarter) => Math.floor((quarter * range.steps) / 4));
  const axis = [...quarters.map((step) => axisTime(startOfStep(range, step), isDay)), 'now'];
  const chart = barChart({ label: describeAll(range, steps), steps: range.steps, bars, axis });
  const partial = !isExact && html`· only the latest ${formatNumber(sumUp(steps, 'failures'))}`;
  const legend = html`<span class="muted small">${swatch('in', 'failed')}${isByHour(range) && swatch('out', 'delivered')}${partial}</span>`;
  return section('Throughput', chart, html`${legend}${rangeSwitch(path, range)}`);
}

function eventsOf(range: Range, step: number, filter: string): string {
  const [from, to] = [startOfStep(range, step), startOfStep(range, step + 1)];
  return searchLink(`${filter} failed:>${from.toISOString()} failed:<${to.toISOString()}`.trim());
}

function describeCounts({ failures, deliveries }: Step): string {
  const delivered = deliveries === null ? '' : `, ${formatNumber(deliveries)} delivered`;
  return `${formatNumber(failures)} failed${delivered}`;
}

function describeAll(range: Range, steps: readonly Step[]): string {
  const sum = (of: 'failures' | 'deliveries') => formatNumber(sumUp(steps, of));
  const delivered = isByHour(range) ? ` and ${sum('deliveries')} were delivered` : '';
  const peak = steps.toSorted((a, b) => b.failures - a.failures)[0];
  const max = peak && peak.failures > 0 ? ` Most failed at ${formatUtc(startOfStep(range, peak.step))}.` : '';
  return `In ${range.words} ${sum('failures')} failed${delivered}.${max}`;
}
