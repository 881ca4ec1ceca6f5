import type { EventView } from '../../../shared/events/read-event.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { stackTrace } from './stack-trace.ts';

/** The error of an event, as its consumer reported it. */
export function failureSection(event: EventView): Html {
  const { errorClass: name, errorReason: reason, errorStacktrace: trace, fingerprint } = event;
  const aside =
    fingerprint && html`<a href="groups/${encodeURIComponent(fingerprint)}">All events with this error</a>`;
  const error = html`<p class="reason wrap">${name && html`<strong>${name}</strong> `}${reason}</p>${trace && stackTrace(trace)}`;
  return section('Error', error, aside);
}
