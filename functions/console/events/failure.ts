import { type Html, html } from '../html.ts';
import type { EventView } from './read-event.ts';
import { stackTrace } from './stack-trace.ts';

/** Why an event failed, in the consumer's own words. */
export function failureSection(event: EventView): Html {
  const { error_class: name, error_reason: reason, error_stacktrace: trace, fingerprint } = event;
  return html`<section aria-labelledby="failure">
    <div class="section-head"><h2 id="failure">Why it failed</h2>
      ${fingerprint && html`<a href="groups/${fingerprint}">All that failed for this reason</a>`}</div>
    <p class="reason wrap">${name && html`<strong>${name}</strong> `}${reason}</p>
    ${trace && stackTrace(trace)}
  </section>`;
}
