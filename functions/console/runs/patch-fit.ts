import { countOf, formatNumber } from '../../../shared/count-of.ts';
import type { Preview } from '../../../shared/replay/preview-run.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';

/** How many of the selected events a patch fits, does not fit, or was not tried on. */
export function fitSection({ fit }: Preview): Html | false {
  if (fit === null) return false;
  const { fits, doesNotFit, unknown, reasons } = fit;
  const lines = reasons.map(
    ({ reason, events, example }) =>
      html`<p class="warning">${countOf(events, 'event')}: ${reason} <a href="events/${example}">Event ${example}</a></p>`,
  );
  return section(
    'Patch',
    html`<ul class="list"><li><span>Fits</span><b>${formatNumber(fits)}</b></li>
      <li><span>Does not fit: will be skipped</span><b>${formatNumber(doesNotFit)}</b></li>
      ${unknown > 0 && html`<li><span>Unknown: not checked</span><b>${formatNumber(unknown)}</b></li>`}</ul>${lines}`,
  );
}
