import type { Step } from '../../../shared/counts/overview.ts';
import { type Html, html } from '../html.ts';
import { formatNumber, formatUtc } from './format.ts';
import { type Range, rangeSwitch, startOfStep } from './range.ts';
import { section } from './section.ts';

const chartHeight = 96;
const stepWidth = 10;

/** The section with the chart of a period, and the switch of periods. */
export function flowSection(path: string, range: Range, steps: readonly Step[]): Html {
  const legend = html`<span class="muted small"><i class="swatch in"></i> failed <i class="swatch out"></i> delivered</span>`;
  return section('Throughput', flowChart(range, steps), html`${legend}${rangeSwitch(path, range)}`);
}

/** Failures above the line and deliveries below it, step by step. */
function flowChart(range: Range, steps: readonly Step[]): Html {
  const peak = Math.max(0, ...steps.map(({ failures }) => failures));
  const peakBelow = Math.max(0, ...steps.map(({ deliveries }) => deliveries));
  const scale = chartHeight / (Math.max(1, peak) + Math.max(1, peakBelow));
  const zero = Math.max(1, peak) * scale;
  const width = range.steps * stepWidth;
  const bar = (tone: string, { step }: Step, y: number, height: number) =>
    html`<rect class="${tone}" x="${step * stepWidth + 1}" y="${round(y)}" width="${stepWidth - 2}" height="${round(height)}"/>`;
  const bars = steps.map((each) => {
    const [up, down] = [each.failures * scale, each.deliveries * scale];
    return html`<g><title>${describeStep(range, each)}</title>${bar('in', each, zero - up, up)}${bar('out', each, zero, down)}</g>`;
  });
  return html`<figure class="flow">
    <svg viewBox="0 0 ${width} ${chartHeight}" preserveAspectRatio="none" role="img" aria-label="${describeAll(range, steps)}">
      ${bars}<line x1="0" x2="${width}" y1="${round(zero)}" y2="${round(zero)}"/>
    </svg>
    <span class="peak in" aria-hidden="true">${peak > 0 && formatNumber(peak)}</span><span class="peak out" aria-hidden="true">${peakBelow > 0 && formatNumber(peakBelow)}</span>
    <figcaption>${[0, 1, 2, 3].map((quarter) => html`<span>${axisLabel(range, Math.floor((quarter * range.steps) / 4))}</span>`)}<span>now</span></figcaption>
  </figure>`;
}

function describeStep(range: Range, { step, failures, deliveries }: Step): string {
  return `${formatUtc(startOfStep(range, step))}: ${formatNumber(failures)} failed, ${formatNumber(deliveries)} delivered`;
}

function describeAll(range: Range, steps: readonly Step[]): string {
  const sum = (of: 'failures' | 'deliveries') =>
    formatNumber(steps.reduce((total, each) => total + each[of], 0));
  const peak = steps.toSorted((a, b) => b.failures - a.failures)[0];
  const max = peak && peak.failures > 0 ? ` Most failed at ${formatUtc(startOfStep(range, peak.step))}.` : '';
  return `In ${range.words} ${sum('failures')} failed and ${sum('deliveries')} were delivered.${max}`;
}

function axisLabel(range: Range, step: number): Html {
  const at = startOfStep(range, step);
  const time = at.toISOString();
  const [style, words] = range.hours === 1 ? ['hour', time.slice(11, 16)] : ['day', time.slice(5, 10)];
  return html`<time datetime="${time}" data-axis="${style}">${words}</time>`;
}

function round(value: number): string {
  return value.toFixed(2).replace(/\.?0+$/, '');
}
