import type { EventView } from '../../../shared/events/read-event.ts';
import { collapsibleLines, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';

/** The error of an event, as its consumer reported it. */
export function failureSection(event: EventView): Html {
  const { fingerprint } = event;
  const aside =
    fingerprint && html`<a href="groups/${encodeURIComponent(fingerprint)}">All events with this error</a>`;
  return section('Error', errorText(event), aside);
}

/** The class, the reason and the stack trace of an error. */
export function errorText({ errorClass, errorReason, errorStacktrace: trace }: EventView): Html {
  return html`<p class="reason wrap">${errorClass && html`<strong>${errorClass}</strong> `}${errorReason}</p>${trace && stackTrace(trace)}`;
}

const visibleLines = 12;
const maxLines = 300;

/** Frames of runtimes and libraries, which are dimmed. */
const libraryFrame =
  /node_modules|node:|^\s*at (?:java|javax|jdk|sun|com\.sun|kotlin|scala|reactor|io\.netty|org\.(?:springframework|apache|hibernate))\b|^\s*at java\.base\/|site-packages|\/lib\/python|^\s*at (?:System|Microsoft)\.|\/gems\/|^\s*\.\.\. \d+ more/;
/** The first line of each exception of the chain. */
const causeLine = /^\s*(?:Caused by:|Suppressed:|During handling of|The above exception|Traceback )/;

/** A stack trace in which the frames of the application are highlighted. */
export function stackTrace(trace: string): Html {
  const lines = trace.trimEnd().split(/\r?\n/).slice(0, maxLines);
  return collapsibleLines(lines.map(showLine), visibleLines);
}

function showLine(line: string, index: number): Html {
  const isCause = index === 0 || causeLine.test(line);
  return html`<span class="frame${isCause ? ' cause' : libraryFrame.test(line) && ' dim'}">${line}</span>`;
}
