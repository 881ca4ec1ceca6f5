import { atLeast, countOf } from '../../../shared/count-of.ts';
import type { EventView } from '../../../shared/events/read-event.ts';
import { frameOf } from '../../../shared/fingerprint/find-frames.ts';
import { failureName } from '../components/error-name.ts';
import { collapsible } from '../components/section.ts';
import { groupAlike } from '../components/table.ts';
import { type Html, html } from '../html.ts';

const maxReason = 1000;

/** The class, the reason and the stack trace of the error of an event. */
export function errorText({ id, errorClass, errorReason, errorStacktrace: trace }: EventView): Html {
  const shown = failureName({ errorClass, errorReason: errorReason.slice(0, maxReason) });
  const rest = errorReason.slice(maxReason);
  // read-event.sql reads one character more than a page shows.
  const isWhole = errorReason.length <= maxChars;
  const more = atLeast(countOf(isWhole ? rest.length : maxChars - maxReason, 'more character'), isWhole);
  return html`<p class="reason wrap">${shown}</p>${rest !== '' && collapsible(more, html`<p class="reason wrap">${rest}</p>`)}
    ${trace && stackTrace(trace, `events/${id}/stack`)}`;
}

/** The first line of each exception of the chain. */
const causeLine =
  /^\s*(?:Caused by:|Suppressed:|\[cause\]:|---> |During handling of|The above exception|Traceback )/;

/** Lines of libraries that the runtime left out. */
const omittedLine = /^\s*\.\.\. \d+ (?:more|common frames omitted)|^\s*\.\.\. \d+ lines matching/;

/** Lines of a kind below each cause: libraries above own frames, own frames, and unknown ones. */
const maxShown = { library: 2, own: 5, other: 12 };

/** Runs of fewer lines than this are shown: folded, they would take as much space. */
const minFolded = 3;

/** Longer folded runs are only counted. */
const maxFolded = 1000;

/** Lines and characters on a page, of the 150,001 that read-event.sql reads; the download has all of them. */
const maxLines = 10_000;
const maxChars = 150_000;

type Line = { readonly text: string; readonly isShown: boolean; readonly kind: 'cause' | 'own' | 'dim' };

/**
 * A stack trace in which every cause is shown with its first frames of the application, and runs of other
 * frames are folded. Nothing is left out without being counted. `download`: the address of all of it.
 */
export function stackTrace(trace: string, download: string): Html {
  const all = trace.trimEnd().split(/\r?\n/);
  const lines = trace.slice(0, maxChars).trimEnd().split(/\r?\n/, maxLines);
  const runs = groupAlike(readLines(lines), ({ isShown }) => isShown);
  const isCut = lines.length < all.length || trace.length > maxChars;
  const cut = isCut && html`<b>The first ${countOf(lines.length, 'line')} of it.</b> `;
  const isWhole = !isCut && !runs.some(isLeftOut);
  return html`<div class="code stack" id="stack" tabindex="0" role="region" aria-label="Stack trace">${runs.map(showRun)}</div>
    <p class="stack-actions small">${cut}<a href="${download}" download>Download</a>${isWhole && html` <button type="button" class="link" data-copy="stack">Copy</button>`}</p>`;
}

function readLines(lines: readonly string[]): Line[] {
  const read: Line[] = [];
  let seen = { library: 0, own: 0, other: 0 };
  for (const [index, text] of lines.entries()) {
    const kind = kindOf(text, index, seen.own + seen.library > 0);
    if (kind === 'cause') {
      seen = { library: 0, own: 0, other: 0 };
      read.push({ text, isShown: true, kind });
    } else if (kind === 'source') {
      read.push({ ...(read.at(-1) ?? { isShown: true, kind: 'own' }), text });
    } else {
      seen[kind] += 1;
      // Frames of libraries below one of the application say little about the cause.
      const isUseful = seen[kind] <= maxShown[kind] && !(kind === 'library' && seen.own > 0);
      const isShown = isUseful || index === lines.length - 1;
      read.push({ text, isShown, kind: kind === 'library' ? 'dim' : 'own' });
    }
  }
  return read;
}

/** `source`: the line of code, or the file, of the frame above it. */
function kindOf(text: string, index: number, isBelowFrame: boolean) {
  if (index === 0 || causeLine.test(text)) return 'cause';
  if (omittedLine.test(text)) return 'library';
  return frameOf(text) ?? (isBelowFrame && /^\s/.test(text) ? 'source' : 'other');
}

const isLeftOut = (run: readonly Line[]) => run[0]?.isShown === false && run.length > maxFolded;

function showRun(lines: readonly Line[]): Html {
  const isLibrary = lines.every(({ kind }) => kind === 'dim');
  const count = isLibrary
    ? `${countOf(lines.length, 'line')} of libraries`
    : countOf(lines.length, 'more line');
  if (isLeftOut(lines)) return html`<p class="muted small">${count}, in the download</p>`;
  const frames = html`${lines.map(
    ({ text, kind }) => html`<span class="frame${kind !== 'own' && ` ${kind}`}">${text}\n</span>`,
  )}`;
  return lines[0]?.isShown || lines.length < minFolded ? frames : collapsible(count, frames);
}
