import { formatNumber } from '../../../shared/count-of.ts';
import { isByHour, startOfStep } from '../../../shared/counts/periods.ts';
import { type Step, type Steps, sumUp } from '../../../shared/counts/sum-steps.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import { formatUtc } from './format.ts';
import { type Range, rangeSwitch } from './range.ts';
import { section } from './section.ts';

const width = 1000;
const height = 96;

type Flow = Steps & {
  readonly range: Range;
  /** The events of the chart, as text of a filter. */
  readonly filter?: string;
};

/** The section with the chart of a period, and the switch of periods. */
export function flowSection(path: string, flow: Flow): Html {
  const { range, steps, isExact } = flow;
  const hasEarlier = steps.some(({ step, failures }) => step < 0 && failures > 0);
  const earlier = hasEarlier && html` <i class="swatch earlier"></i> failed in the ${range.words} before`;
  const delivered = isByHour(range) && html` <i class="swatch out"></i> delivered`;
  const partial = !isExact && html` · only the latest ${formatNumber(sumUp(steps, 'failures'))}`;
  const failed = html`<i class="swatch in"></i> failed`;
  const legend = html`<span class="muted small">${failed}${delivered}${earlier}${partial}</span>`;
  return section('Throughput', flowChart(flow), html`${legend}${rangeSwitch(path, range)}`);
}

/** Failures, each linked to its events, beside deliveries, on one scale. */
function flowChart({ range, steps: all, filter = '' }: Flow): Html {
  const steps = all.filter(({ step }) => step >= 0);
  const top = roundUp(Math.max(0, ...all.map((each) => Math.max(each.failures, each.deliveries ?? 0))));
  const hasDeliveries = isByHour(range);
  const stepWidth = width / range.steps;
  const barWidth = stepWidth * (hasDeliveries ? 0.4 : 0.8);
  const bar = (tone: string, x: number, count: number) => {
    const size = top > 0 ? (count / top) * height : 0;
    return html`<rect class="${tone}" x="${round(x)}" y="${round(height - size)}" width="${round(barWidth)}" height="${round(size)}"/>`;
  };
  const bars = steps.map((each) => {
    const x = each.step * stepWidth + stepWidth / 10;
    const deliveries = hasDeliveries && bar('out', x + barWidth, each.deliveries ?? 0);
    const at = startOfStep(range, each.step);
    const title = `${formatUtc(at)}: ${describeCounts(each)}`;
    const rects = html`<g>${stepTitle(at, describeCounts(each))}${bar('in', x, each.failures)}${deliveries}</g>`;
    return each.failures > 0
      ? linkTo(eventsOf(range, each.step, filter), `Events of ${title}`, rects)
      : rects;
  });
  const lines = [height, height / 2].map((y) => html`<line x1="0" x2="${width}" y1="${y}" y2="${y}"/>`);
  return html`<figure class="flow">
    <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="group" aria-label="${describeAll(range, steps)}">${lines}${bars}${drawEarlier(range, all, top)}</svg>
    ${top > 0 && html`<span class="tick top" aria-hidden="true">${formatNumber(top)}</span><span class="tick half" aria-hidden="true">${formatNumber(top / 2)}</span>`}<span class="tick zero" aria-hidden="true">0</span>
    <figcaption>${[0, 1, 2, 3].map((quarter) => html`<span>${axisLabel(range, Math.floor((quarter * range.steps) / 4))}</span>`)}<span>now</span></figcaption>
    <p class="muted small" data-readout aria-hidden="true" hidden></p>
  </figure>`;
}

/** The time and the counts of a step as its tooltip; the script shows the time in the browser's time zone. */
export function stepTitle(at: Date, counts: string): Html {
  return html`<title data-at="${at.toISOString()}" data-counts="${counts}">${formatUtc(at)}: ${counts}</title>`;
}

/** A link for the pointer; for the keyboard, a chart of 72 steps would be 72 stops. */
function linkTo(href: string, label: string, content: Html): Html {
  return html`<a href="${href}" tabindex="-1" aria-label="${label}">${content}</a>`;
}

function eventsOf(range: Range, step: number, filter: string): string {
  const [from, to] = [startOfStep(range, step), startOfStep(range, step + 1)];
  return searchLink(`${filter} failed:>${from.toISOString()} failed:<${to.toISOString()}`.trim());
}

/** The failures of the preceding period as a dashed line. */
function drawEarlier({ steps: count }: Range, steps: readonly Step[], top: number): Html | false {
  const failures = new Map(steps.map(({ step, failures }) => [step + count, failures]));
  const points = Array.from({ length: count }, (_, i) => {
    const y = height - (top > 0 ? ((failures.get(i) ?? 0) / top) * height : 0);
    return `${round(((i + 0.5) * width) / count)},${round(y)}`;
  });
  const hasAny = steps.some(({ step, failures }) => step < 0 && failures > 0);
  return hasAny && html`<polyline class="earlier" points="${points.join(' ')}"/>`;
}

/** The next number that a scale ends at, whose half is a number too: 2, 4, 6, 8, 10, 20, 40, ... */
function roundUp(value: number): number {
  if (value <= 0) return 0;
  const unit = 10 ** Math.floor(Math.log10(value));
  const even = [1, 2, 4, 6, 8, 10].map((each) => each * unit).filter((each) => each % 2 === 0);
  return even.find((each) => each >= value) ?? 10 * unit;
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

function axisLabel(range: Range, step: number): Html {
  const at = startOfStep(range, step);
  const time = at.toISOString();
  const [style, words] = range.stepMinutes <= 60 ? ['hour', time.slice(11, 16)] : ['day', time.slice(5, 10)];
  return html`<time datetime="${time}" data-axis="${style}">${words}</time>`;
}

function round(value: number): string {
  return value.toFixed(2).replace(/\.?0+$/, '');
}
