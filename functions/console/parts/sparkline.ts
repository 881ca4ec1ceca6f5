import { type Html, html } from '../html.ts';

/** Numbers in their order as small bars; `words` say the same to who cannot see them. */
export function sparkline(values: readonly number[], words: string): Html {
  const most = Math.max(1, ...values);
  // One shape for all bars: a page has fifty of these.
  const bars = values.map((value, i) => {
    const tall = ((value / most) * 20).toFixed(1);
    return value > 0 ? `M${i * 4} 20v-${tall}h3v${tall}z` : '';
  });
  return html`<svg class="spark" viewBox="0 0 ${values.length * 4} 20" preserveAspectRatio="none" role="img" aria-label="${words}"><path d="${bars.join('')}"/></svg>`;
}
