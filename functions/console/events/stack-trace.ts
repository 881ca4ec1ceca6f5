import { type Html, html } from '../html.ts';
import { foldLines } from '../parts/fold.ts';

const visibleLines = 12;
const mostLines = 300;

/** Frames of runtimes and libraries, which are seldom where the fault is. */
const foreign =
  /node_modules|node:|^\s*at (?:java|javax|jdk|sun|com\.sun|kotlin|scala|reactor|io\.netty|org\.(?:springframework|apache|hibernate))\b|^\s*at java\.base\/|site-packages|\/lib\/python|^\s*at (?:System|Microsoft)\.|\/gems\/|^\s*\.\.\. \d+ more/;
/** Where a new part of the story begins. */
const turn = /^\s*(?:Caused by:|Suppressed:|During handling of|The above exception|Traceback )/;

/** A stack trace, in which the frames of the application stand out. */
export function stackTrace(trace: string): Html {
  const lines = trace.trimEnd().split(/\r?\n/).slice(0, mostLines);
  return foldLines(lines.map(showLine), visibleLines);
}

function showLine(line: string, index: number): Html {
  const isTurn = index === 0 || turn.test(line);
  return html`<span class="frame${isTurn ? ' turn' : foreign.test(line) && ' dim'}">${line}</span>`;
}
