import type { EventView } from '../../../shared/events/read-event.ts';
import { collapsibleLines, section } from '../components/section.ts';
import { visibleText } from '../components/visible-text.ts';
import { type Html, html } from '../html.ts';

/** The error with which an event failed last, and the first one if that was another. */
export function failureSection(event: EventView): Html {
  const { fingerprint } = event;
  const aside = fingerprint && groupLink(fingerprint, 'All events with this error');
  return section('Error', html`${errorText(event)}${firstFailure(event)}`, aside);
}

function firstFailure(event: EventView): Html | false {
  const { firstErrorReason, firstErrorClass, firstErrorStacktrace, firstFingerprint, fingerprint } = event;
  if (firstErrorReason === null) return false;
  const first = {
    errorReason: firstErrorReason,
    errorClass: firstErrorClass,
    errorStacktrace: firstErrorStacktrace,
  };
  const hasOtherGroup = firstFingerprint !== null && firstFingerprint !== fingerprint;
  return html`<p class="muted small">First failed with${hasOtherGroup && html` · ${groupLink(firstFingerprint, 'that error')}`}</p>${errorText(first)}`;
}

function groupLink(fingerprint: string, text: string): Html {
  return html`<a href="groups/${encodeURIComponent(fingerprint)}">${text}</a>`;
}

type ErrorText = Pick<EventView, 'errorClass' | 'errorReason' | 'errorStacktrace'>;

/** The class, the reason and the stack trace of an error. */
export function errorText({ errorClass, errorReason, errorStacktrace: trace }: ErrorText): Html {
  return html`<p class="reason wrap">${errorClass && html`<strong>${errorClass}</strong> `}${visibleText(errorReason)}</p>${trace && stackTrace(trace)}`;
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
  return html`${collapsibleLines(lines.map(showLine), visibleLines)}<button type="button" class="link small" data-copy-text="${trace}" hidden>Copy stack trace</button>`;
}

function showLine(line: string, index: number): Html {
  const isCause = index === 0 || causeLine.test(line);
  return html`<span class="frame${isCause ? ' cause' : libraryFrame.test(line) && ' dim'}">${visibleText(line)}</span>`;
}
