import { countOf } from '../../../shared/count-of.ts';
import type { EventView } from '../../../shared/events/read-event.ts';
import { failureName } from '../components/error-name.ts';
import { collapsible } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { stackTrace } from './stack-trace.ts';

/** Characters of a reason that are shown at first. */
const maxReason = 1000;

type Failure = Pick<EventView, 'id' | 'errorClass' | 'errorReason' | 'errorStacktrace'>;

/** The class, the reason and the stack trace of the error of an event. */
export function errorText({ id, errorClass, errorReason, errorStacktrace: trace }: Failure): Html {
  const shown = failureName({ errorClass, errorReason: errorReason.slice(0, maxReason) });
  const rest = errorReason.slice(maxReason);
  const more = countOf(rest.length, 'more character');
  return html`<p class="reason wrap">${shown}</p>${rest !== '' && collapsible(more, html`<p class="reason wrap">${rest}</p>`)}
    ${trace && stackTrace(trace, `events/${id}/stack`)}`;
}
