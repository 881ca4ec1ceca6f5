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
import { type Step, type Steps, sumUp } from '../../../shared/counts/sum-steps.ts';
import { type Content, type Html, html } from '../html.ts';
import { formatUtc } from './format.ts';
import { linkSwitch, searchLink } from './links.ts';
import { section } from './section.ts';

/** Past periods, by their age. */
export const rangeWords = {
  '1h': '1 hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
} as const satisfies Record<PeriodName, string>;

/** A past period, its words, and how a sentence names it: `in 24 hours`. */
export type Range = Period & { readonly name: PeriodName; readonly words: string; readonly phrase: Content };

/** The period in `?range=`; by default 24 hours, or a shorter one if nothing is known from before it. */
export function readRange(query: URLSearchParams, now: Date, knownSince = new Date(0)): Range {
  const asked = query.get('range') ?? '';
  const hours = (now.getTime() - knownSince.getTime()) / 3_600_000;
  const fitting = hours < 1 ? '1h' : hours < 6 ? '6h' : '24h';
  const name = Object.hasOwn(periods, asked) ? (asked as PeriodName) : fitting;
  return { ...periodUpTo(now, name), name, words: rangeWords[name], phrase: `in ${rangeWords[name]}` };
}

/** The clock hours that a period touches, for what is counted by hour; the period itself if its steps are. */
export function hourRange(range: Range): Range {
  const hours = hoursOf(range);
  if (hours === range) return range;
  const phrase = html`since ${axisTime(hours.since)}`;
  return { ...range, ...hours, words: countOf(hours.steps, 'clock hour'), phrase };
}

type Flow = Steps & {
  readonly range: Range;
  /** The events of the chart, as text of a filter. */
  readonly filter?: string;
};

/** The section with the failures and deliveries of a period, and links to the same page with another one. */
export function flowSection(path: string, { range, steps, isExact, filter = '' }: Flow): Html {
  const total = { failures: sumUp(steps, 'failures'), deliveries: sumUp(steps, 'deliveries') };
  const [failed, delivered] = sayCounts(isByHour(range) ? total : { ...total, deliveries: null });
  const peak = steps.toSorted((a, b) => b.failures - a.failures)[0];
  const max = peak && peak.failures > 0 ? ` Most at ${formatUtc(startOfStep(range, peak.step))}.` : '';
  const label = `In ${range.words} ${failed}${delivered ? ` and ${delivered}` : ''}.${max}`;
  const legend = html`<span class="muted small">${swatch('in', `${failed}${isExact ? '' : ', only the latest'}`)}${delivered && swatch('out', delivered)}</span>`;
  const href = (name: string) => `${path}?range=${name}`;
  const periods = Object.entries(rangeWords).map(([name, words]) => [href(name), words] as const);
  const links = linkSwitch('Period', href(range.name), periods);
  return section('Throughput', flowChart(label, { range, steps, filter }), html`${legend}${links}`);
}

/** An event may fail several times: the events that a step leads to can be fewer. */
function sayCounts({ failures, deliveries }: Pick<Step, 'failures' | 'deliveries'>): string[] {
  const delivered = deliveries === null ? [] : [countOf(deliveries, 'delivery', 'deliveries')];
  return [countOf(failures, 'failure'), ...delivered];
}

const width = 1000;

type Rect = Readonly<Record<'x' | 'y' | 'width' | 'height', number>> & { readonly tone: string };

/** One time in a chart: its rectangles, its words, and the address of what they show. */
export type Mark = {
  readonly at: Date;
  readonly rects: readonly Rect[];
  readonly says: string;
  readonly href?: string | undefined;
};

type Chart = {
  /** The summary of all of it. */
  readonly label: string;
  readonly height: number;
  readonly marks: readonly Mark[];
  /** The labels below, from the first step on. */
  readonly axis: readonly Content[];
};

/** Marks along a line of time; with `top`, on a scale up to it. */
export function timeChart({ label, height, marks, axis }: Chart, top?: number): Html {
  const drawn = marks.map(({ at, rects, says, href }) => {
    const shapes = rects.map(
      (rect) =>
        html`<rect class="${rect.tone}" x="${round(rect.x * width)}" y="${round(rect.y)}" width="${round(rect.width * width)}" height="${round(rect.height)}"/>`,
    );
    // The name of the bar. The script shows the time in the browser's time zone.
    const time = html`<title data-at="${at.toISOString()}" data-counts="${says}">${formatUtc(at)}: ${says}</title>`;
    // A link for the pointer: for the keyboard, a chart of 72 steps would be 72 stops.
    return href ? html`<a href="${href}" tabindex="-1">${time}${shapes}</a>` : html`<g>${time}${shapes}</g>`;
  });
  const grid = top && [height, height / 2].map((y) => html`<line x1="0" x2="${width}" y1="${y}" y2="${y}"/>`);
  const ticks = top && [top, top / 2, 0].map((tick) => html`<span>${formatNumber(tick)}</span>`);
  return html`<figure class="flow${!top && ' plain'}">
    <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="group" aria-label="${label}">${grid}${drawn}</svg>
    ${ticks && html`<div class="ticks" aria-hidden="true">${ticks}</div>`}<figcaption>${axis.map((each) => html`<span>${each}</span>`)}</figcaption>
  </figure>`;
}

const tones = { failures: 'in', deliveries: 'out' } as const;

/** The failures of a period, and its deliveries if they are known, as bars on one scale. */
function flowChart(label: string, { range, steps, filter }: Omit<Required<Flow>, 'isExact'>): Html {
  const height = 96;
  const shown = isByHour(range) ? (['failures', 'deliveries'] as const) : (['failures'] as const);
  const top = roundUp(Math.max(1, ...steps.flatMap((counts) => shown.map((of) => counts[of] ?? 0))));
  const barWidth = 0.8 / shown.length;
  const marks = steps.map(({ step, ...counts }) => {
    const [at, to] = [startOfStep(range, step), startOfStep(range, step + 1)];
    const q = `${filter} failed:>${at.toISOString()} failed:<${to.toISOString()}`.trim();
    const says = sayCounts(counts).join(', ');
    const rects = shown.map((of, i) => {
      const size = ((counts[of] ?? 0) / top) * height;
      const x = (step + 0.1 + i * barWidth) / range.steps;
      return { tone: tones[of], x, width: barWidth / range.steps, y: height - size, height: size };
    });
    return { at, rects, says, href: counts.failures > 0 ? searchLink(q) : undefined };
  });
  const isDay = range.stepMinutes > 60;
  const quarters = [0, 1, 2, 3].map((quarter) => Math.floor((quarter * range.steps) / 4));
  const axis = [...quarters.map((step) => axisTime(startOfStep(range, step), isDay)), 'now'];
  return timeChart({ label, height, marks, axis }, top);
}

/** A time below a chart: of a day, or the day. */
export function axisTime(at: Date, isDay = false): Html {
  const time = at.toISOString();
  const words = isDay ? time.slice(5, 10) : time.slice(11, 16);
  return html`<time datetime="${time}" data-axis="${isDay ? 'day' : 'hour'}">${words}</time>`;
}

/** The color of a part of a chart with its meaning. */
export function swatch(tone: string, meaning: string): Html {
  return html`<span class="${tone}">■</span> ${meaning} `;
}

/** The next number that a scale ends at, whose half is a number too: 2, 4, 6, 8, 10, 20, 40, ... */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  const even = [1, 2, 4, 6, 8, 10].map((each) => each * unit).filter((each) => each % 2 === 0);
  return even.find((each) => each >= value) ?? 10 * unit;
}

function round(value: number): string {
  return value.toFixed(2).replace(/\.?0+$/, '');
}

type Bar = Readonly<Record<'x' | 'width' | 'height', number>> & { readonly tone?: string };

type Size = readonly [width: number, height: number];

/**
 * Bars beside one another, without a scale, of what the text beside it says. One path for all bars of a tone:
 * a page has up to 50 pictures.
 */
export function picture(className: string, [width, height]: Size, bars: readonly Bar[]): Html {
  const draw = ({ x, width, height: up }: Bar) =>
    up > 0 && width > 0 ? `M${round(x)} ${height}v-${round(up)}h${round(width)}v${round(up)}z` : '';
  const paths = [...Map.groupBy(bars, ({ tone = 'idle' }) => tone)].map(
    ([tone, own]) => html`<path class="${tone}" d="${own.map(draw).join('')}"/>`,
  );
  return html`<svg class="bars ${className}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">${paths}</svg>`;
}

/** A number of each of the last hours as small bars. */
export function sparkline(hours: readonly number[]): Html {
  const max = Math.max(1, ...hours);
  const bars = hours.map((value, i) => ({ x: i * 4, width: 3, height: (value / max) * 20 }));
  const label = `${formatNumber(hours.reduce((sum, value) => sum + value, 0))} in ${hours.length} hours`;
  return html`<div role="img" aria-label="${label}">${picture('', [hours.length * 4, 20], bars)}</div>`;
}
