import { countOf } from '../../../shared/count-of.ts';
import type { EventView } from '../../../shared/events/read-event.ts';
import { failureName } from '../components/error-name.ts';
import { collapsible, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { stackTrace } from './stack-trace.ts';

/** Why an event failed, as its consumer said last. */
export function failureSection(event: EventView): Html {
  const { fingerprint } = event;
  const aside =
    fingerprint && html`<a href="groups/${encodeURIComponent(fingerprint)}">All events with this error</a>`;
  return section('Error', errorText(event), aside);
}

/** Characters of a reason that are shown at first. */
const maxReason = 1000;

type ErrorText = Pick<EventView, 'id' | 'errorClass' | 'errorReason' | 'errorStacktrace'>;

/** The class, the reason and the stack trace of the error of an event. */
export function errorText({ id, errorClass, errorReason, errorStacktrace: trace }: ErrorText): Html {
  const stack = trace && stackTrace(trace, { id: 'stack', download: `events/${id}/stack` });
  const rest = errorReason.slice(maxReason);
  const folded =
    rest !== '' &&
    collapsible(`${countOf(rest.length, 'more character')}`, html`<p class="reason wrap">${rest}</p>`);
  return html`<p class="reason wrap">${failureName({ errorClass, errorReason: errorReason.slice(0, maxReason) })}</p>${folded}${stack}`;
}
