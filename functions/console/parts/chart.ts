import { type Html, html } from '../html.ts';
import { formatNumber } from './number.ts';
import { type Range, startOfStep } from './range.ts';
import { formatUtc } from './time.ts';

/** What happened in one step of a range. */
export type Step = { readonly step: number; readonly failures: number; readonly deliveries: number };

const height = 96;
const stepWidth = 10;

/** Failures above the line and deliveries below it, step by step. */
export function flowChart(range: Range, steps: readonly Step[]): Html {
  const most = Math.max(1, ...steps.map(({ failures }) => failures));
  const mostBelow = Math.max(1, ...steps.map(({ deliveries }) => deliveries));
  const scale = height / (most + mostBelow);
  const width = range.steps * stepWidth;
  const bar = (tone: string, { step }: Step, y: number, tall: number) =>
    html`<rect class="${tone}" x="${step * stepWidth + 1}" y="${round(y)}" width="${stepWidth - 2}" height="${round(tall)}"/>`;
  const bars = steps.map((each) => {
    const [up, down] = [each.failures * scale, each.deliveries * scale];
    return html`<g><title>${describeStep(range, each)}</title>${bar('in', each, most * scale - up, up)}${bar('out', each, most * scale, down)}</g>`;
  });
  return html`<figure class="flow">
    <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${describeAll(range, steps)}">
      ${bars}<line x1="0" x2="${width}" y1="${round(most * scale)}" y2="${round(most * scale)}"/>
    </svg>
    <span class="most in" aria-hidden="true">${tellMost(steps, 'failures')}</span><span class="most out" aria-hidden="true">${tellMost(steps, 'deliveries')}</span>
    <figcaption>${[0, 1, 2, 3].map((quarter) => html`<span>${axisLabel(range, Math.floor((quarter * range.steps) / 4))}</span>`)}<span>now</span></figcaption>
  </figure>`;
}

function tellMost(steps: readonly Step[], of: 'failures' | 'deliveries'): string | false {
  const most = Math.max(0, ...steps.map((step) => step[of]));
  return most > 0 && formatNumber(most);
}

function describeStep(range: Range, { step, failures, deliveries }: Step): string {
  return `${formatUtc(startOfStep(range, step))}: ${formatNumber(failures)} failed, ${formatNumber(deliveries)} delivered`;
}

function describeAll(range: Range, steps: readonly Step[]): string {
  const sum = (of: (each: Step) => number) =>
    formatNumber(steps.reduce((total, each) => total + of(each), 0));
  const peak = steps.toSorted((a, b) => b.failures - a.failures)[0];
  const most =
    peak && peak.failures > 0 ? ` Most failed at ${formatUtc(startOfStep(range, peak.step))}.` : '';
  return `In ${range.words} ${sum(({ failures }) => failures)} failed and ${sum(({ deliveries }) => deliveries)} were delivered.${most}`;
}

function axisLabel(range: Range, step: number): Html {
  const at = startOfStep(range, step);
  const style = range.hours === 1 ? 'hour' : 'day';
  const words = style === 'hour' ? at.toISOString().slice(11, 16) : at.toISOString().slice(5, 10);
  return html`<time datetime="${at.toISOString()}" data-axis="${style}">${words}</time>`;
}

function round(value: number): string {
  return value.toFixed(2).replace(/\.?0+$/, '');
}
