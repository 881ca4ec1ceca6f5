import { type Html, html } from '../html.ts';

/** Numbers in their order as small bars; `words` say the same to who cannot see them. */
export function sparkline(values: readonly number[], words: string): Html {
  const most = Math.max(1, ...values);
  const bars = values.map((value, i) => {
    const tall = (value / most) * 20;
    return (
      value > 0 &&
      html`<rect x="${i * 4}" y="${(20 - tall).toFixed(1)}" width="3" height="${tall.toFixed(1)}"/>`
    );
  });
  return html`<svg class="spark" viewBox="0 0 ${values.length * 4} 20" preserveAspectRatio="none" role="img" aria-label="${words}">${bars}</svg>`;
}
