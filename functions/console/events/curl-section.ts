import type { Route } from '../../../shared/delivery/routes.ts';
import { type Html, html } from '../html.ts';
import { curlCommand } from './curl.ts';
import type { MaskedEvent } from './mask-event.ts';

/** The delivery of an event as a command to copy. */
export function curlSection(event: MaskedEvent, route: Route | undefined): Html | false {
  const command = curlCommand(event, route);
  if (command === undefined) return false;
  return html`<section aria-labelledby="curl">
    <details class="collapsible"><summary id="curl">As a curl command</summary>
      <pre class="code" id="curl-command">${command}</pre>
      <button type="button" data-copy="curl-command" hidden>Copy</button>
    </details>
  </section>`;
}
