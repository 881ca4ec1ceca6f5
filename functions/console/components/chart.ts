import { formatNumber } from '../../../shared/count-of.ts';
import { type Content, type Html, html } from '../html.ts';
import { formatUtc } from './format.ts';

const width = 1000;
const height = 96;

/** The counts of a step of time side by side, each in a tone, and the address of its events. */
export type Bar = {
  readonly step: number;
  readonly at: Date;
  readonly parts: readonly (readonly [tone: string, count: number])[];
  readonly says: string;
  readonly href?: string | undefined;
};

type Chart = {
  /** The summary of all of it. */
  readonly label: string;
  readonly steps: number;
  readonly bars: readonly Bar[];
  /** The labels below, from the first step on. */
  readonly axis: readonly Content[];
  /** Steps at whose end a line is drawn, with its words. */
  readonly lines?: readonly { readonly step: number; readonly says: string }[];
};

/** Counts over time as bars on one scale. */
export function barChart({ label, steps, bars, axis, lines = [] }: Chart): Html {
  const top = roundUp(Math.max(0, ...bars.flatMap(({ parts }) => parts.map(([, count]) => count))));
  const stepWidth = width / steps;
  const drawn = bars.map(({ step, at, parts, says, href }) => {
    const barWidth = (0.8 * stepWidth) / parts.length;
    const rects = parts.map(([tone, count], i) => {
      const size = top > 0 ? (count / top) * height : 0;
      return html`<rect class="${tone}" x="${round(step * stepWidth + stepWidth / 10 + i * barWidth)}" y="${round(height - size)}" width="${round(barWidth)}" height="${round(size)}"/>`;
    });
    const group = html`<g>${stepTitle(at, says)}${rects}</g>`;
    // A link for the pointer: for the keyboard, a chart of 72 steps would be 72 stops.
    return href
      ? html`<a href="${href}" tabindex="-1" aria-label="Events of ${formatUtc(at)}: ${says}">${group}</a>`
      : group;
  });
  const marks = lines.map(({ step, says }) => {
    const x = round((step + 1) * stepWidth);
    return html`<line class="step" x1="${x}" x2="${x}" y1="0" y2="${height}"><title>${says}</title></line>`;
  });
  const scale = [height, height / 2].map((y) => html`<line x1="0" x2="${width}" y1="${y}" y2="${y}"/>`);
  return html`<figure class="flow">
    <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="group" aria-label="${label}">${scale}${drawn}${marks}</svg>
    ${top > 0 && html`<span class="tick top" aria-hidden="true">${formatNumber(top)}</span><span class="tick half" aria-hidden="true">${formatNumber(top / 2)}</span>`}<span class="tick zero" aria-hidden="true">0</span>
    <figcaption>${axis.map((each) => html`<span>${each}</span>`)}</figcaption>
  </figure>`;
}

/** The time and the counts of a step as its tooltip; the script shows the time in the browser's time zone. */
export function stepTitle(at: Date, counts: string): Html {
  return html`<title data-at="${at.toISOString()}" data-counts="${counts}">${formatUtc(at)}: ${counts}</title>`;
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

/** Numbers in order as small bars; `label` has their meaning for screen readers. */
export function sparkline(values: readonly number[], label: string): Html {
  const max = Math.max(1, ...values);
  // One path for all bars: a page has up to 50 sparklines.
  const bars = values.map((value, i) => {
    const height = ((value / max) * 20).toFixed(1);
    return value > 0 ? `M${i * 4} 20v-${height}h3v${height}z` : '';
  });
  return html`<svg class="sparkline" viewBox="0 0 ${values.length * 4} 20" preserveAspectRatio="none" role="img" aria-label="${label}"><path d="${bars.join('')}"/></svg>`;
}
