import { type Html, html } from '../html.ts';

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
