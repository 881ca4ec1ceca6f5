import type { EventView } from '../../../shared/events/read-event.ts';
import { failureName } from '../components/error-name.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { stackTrace } from './stack-trace.ts';

/** The error with which an event failed last, and the first one if that was another. */
export function failureSection(event: EventView): Html {
  const { fingerprint } = event;
  const aside = fingerprint && groupLink(fingerprint, 'All events with this error');
  return section('Error', html`${errorText(event, event)}${firstFailure(event)}`, aside);
}

function firstFailure(event: EventView): Html | false {
  const { firstErrorReason, firstErrorClass, firstErrorStacktrace, firstFingerprint, fingerprint } = event;
  if (firstErrorReason === null || isSame(event)) return false;
  const first = {
    errorReason: firstErrorReason,
    errorClass: firstErrorClass,
    errorStacktrace: firstErrorStacktrace,
  };
  const hasOtherGroup = firstFingerprint !== null && firstFingerprint !== fingerprint;
  return html`<p class="muted small">First failed with${hasOtherGroup && html` ${groupLink(firstFingerprint, 'another error')}`}:</p>${errorText(first, { id: event.id, isFirst: true })}`;
}

/** Whether an event failed first as it failed last. */
function isSame(event: EventView): boolean {
  return (
    event.firstErrorReason === event.errorReason &&
    event.firstErrorClass === event.errorClass &&
    event.firstErrorStacktrace === event.errorStacktrace
  );
}

function groupLink(fingerprint: string, text: string): Html {
  return html`<a href="groups/${encodeURIComponent(fingerprint)}">${text}</a>`;
}

type WhichFailure = { readonly id: string; readonly isFirst?: boolean };

type ErrorText = Pick<EventView, 'errorClass' | 'errorReason' | 'errorStacktrace'>;

/** The class, the reason and the stack trace of an error of an event. */
export function errorText(
  { errorClass, errorReason, errorStacktrace: trace }: ErrorText,
  which: WhichFailure,
): Html {
  const { id, isFirst = false } = which;
  const download = `events/${id}/stack${isFirst ? '?failure=first' : ''}`;
  const stack = trace && stackTrace(trace, { id: isFirst ? 'first-stack' : 'stack', download });
  return html`<p class="reason wrap">${failureName({ errorClass, errorReason })}</p>${stack}`;
}
