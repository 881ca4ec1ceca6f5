import { formatNumber } from '../../../shared/count-of.ts';
import { type Content, type Html, html } from '../html.ts';
import { formatUtc } from './format.ts';

const width = 1000;

/** A rectangle of a chart in a tone, in parts of its width and its height. */
type Rect = Readonly<Record<'x' | 'y' | 'width' | 'height', number>> & { readonly tone: string };

/** What a chart has of a time: its rectangles, its words, and the address of what they show. */
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

/** Marks along a line of time. */
export function timeChart(
  { label, height, marks, axis }: Chart,
  more: Content = false,
  scale?: Content,
): Html {
  const drawn = marks.map(({ at, rects, says, href }) => {
    const shapes = rects.map(
      (rect) =>
        html`<rect class="${rect.tone}" x="${round(rect.x * width)}" y="${round(rect.y)}" width="${round(rect.width * width)}" height="${round(rect.height)}"/>`,
    );
    // The script shows the time in the browser's time zone.
    const time = html`<title data-at="${at.toISOString()}" data-counts="${says}">${formatUtc(at)}: ${says}</title>`;
    // A link for the pointer: for the keyboard, a chart of 72 steps would be 72 stops.
    return href
      ? html`<a href="${href}" tabindex="-1" aria-label="${formatUtc(at)}: ${says}"><g>${time}${shapes}</g></a>`
      : html`<g>${time}${shapes}</g>`;
  });
  return html`<figure class="flow${!scale && ' plain'}">
    <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="group" aria-label="${label}">${more}${drawn}</svg>
    ${scale}<figcaption>${axis.map((each) => html`<span>${each}</span>`)}</figcaption>
  </figure>`;
}

/** The counts of a step of time, each in a tone, and the address of its events. */
type Step = Omit<Mark, 'rects'> & {
  readonly step: number;
  readonly parts: readonly (readonly [tone: string, count: number])[];
};

type BarChart = Pick<Chart, 'label' | 'axis'> & {
  readonly steps: number;
  readonly bars: readonly Step[];
  /** Steps at whose end a line is drawn, with its words. */
  readonly lines?: readonly { readonly step: number; readonly says: string }[];
};

/** Counts over time as bars on one scale. */
export function barChart({ label, steps, bars, axis, lines = [] }: BarChart): Html {
  const height = 96;
  const top = roundUp(Math.max(0, ...bars.flatMap(({ parts }) => parts.map(([, count]) => count))));
  const marks = bars.map(({ step, parts, ...mark }) => {
    const barWidth = 0.8 / parts.length;
    const rects = parts.map(([tone, count], i) => {
      const size = top > 0 ? (count / top) * height : 0;
      const x = (step + 0.1 + i * barWidth) / steps;
      return { tone, x, width: barWidth / steps, y: height - size, height: size };
    });
    return { ...mark, rects };
  });
  const ends = lines.map(({ step, says }) => {
    const x = round(((step + 1) / steps) * width);
    return html`<line class="step" x1="${x}" x2="${x}" y1="0" y2="${height}"><title>${says}</title></line>`;
  });
  const grid = [height, height / 2].map((y) => html`<line x1="0" x2="${width}" y1="${y}" y2="${y}"/>`);
  const ticks = (top > 0 ? [top, top / 2, 0] : ['', '', 0]).map(
    (tick) => html`<span>${typeof tick === 'number' && formatNumber(tick)}</span>`,
  );
  const scale = html`<div class="ticks" aria-hidden="true">${ticks}</div>`;
  return timeChart({ label, height, marks, axis }, html`${grid}${ends}`, scale);
}

/** A time below a chart: of a day, or the day. */
export function axisTime(at: Date, isDay = false): Html {
  const time = at.toISOString();
  const words = isDay ? time.slice(5, 10) : time.slice(11, 16);
  return html`<time datetime="${time}" data-axis="${isDay ? 'day' : 'hour'}">${words}</time>`;
}

/** The color of a part of a chart with its meaning. */
export function swatch(tone: string, meaning: string): Html {
  return html`<i class="swatch ${tone}"></i> ${meaning} `;
}

/** The next number that a scale ends at, whose half is a number too: 2, 4, 6, 8, 10, 20, 40, ... */
function roundUp(value: number): number {
  if (value <= 0) return 0;
  const unit = 10 ** Math.floor(Math.log10(value));
  const even = [1, 2, 4, 6, 8, 10].map((each) => each * unit).filter((each) => each % 2 === 0);
  return even.find((each) => each >= value) ?? 10 * unit;
}

function round(value: number): string {
  return value.toFixed(2).replace(/\.?0+$/, '');
}

/** A bar of a small picture; by default it has the tone of a trend. */
type Bar = Readonly<Record<'x' | 'width' | 'height', number>> & { readonly tone?: string };

type Picture = {
  readonly size: readonly [width: number, height: number];
  /** Its meaning for screen readers; without one the text beside it says the same. */
  readonly label?: string;
};

/** Bars beside one another, without a scale. One path for all bars of a tone: a page has up to 50 pictures. */
export function picture(
  className: string,
  { size: [width, height], label }: Picture,
  bars: readonly Bar[],
): Html {
  const draw = ({ x, width, height: up }: Bar) =>
    up > 0 && width > 0 ? `M${round(x)} ${height}v-${round(up)}h${round(width)}v${round(up)}z` : '';
  const paths = [...Map.groupBy(bars, ({ tone = 'idle' }) => tone)].map(
    ([tone, own]) => html`<path class="${tone}" d="${own.map(draw).join('')}"/>`,
  );
  const meaning = label === undefined ? html`aria-hidden="true"` : html`role="img" aria-label="${label}"`;
  return html`<svg class="bars ${className}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" ${meaning}>${paths}</svg>`;
}

/** Numbers in order as small bars. */
export function sparkline(values: readonly number[], label: string): Html {
  const max = Math.max(1, ...values);
  const bars = values.map((value, i) => ({ x: i * 4, width: 3, height: (value / max) * 20 }));
  return picture('sparkline', { size: [values.length * 4, 20], label }, bars);
}
