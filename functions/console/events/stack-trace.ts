import { countOf } from '../../../shared/count-of.ts';
import { frameOf } from '../../../shared/fingerprint/find-frames.ts';
import { collapsible } from '../components/section.ts';
import { type Html, html } from '../html.ts';

/** The first line of each exception of the chain. */
const causeLine =
  /^\s*(?:Caused by:|Suppressed:|\[cause\]:|---> |During handling of|The above exception|Traceback )/;

/** Lines of libraries that the runtime left out. */
const omittedLine = /^\s*\.\.\. \d+ (?:more|common frames omitted)|^\s*\.\.\. \d+ lines matching/;

/** Frames of the application that are shown of each cause. */
const maxOwn = 5;

/** Library frames above the first frame of the application, or in a cause without one, that are shown. */
const maxLibrary = 2;

/** Other lines of each cause that are shown: messages of several lines, and frames of unknown languages. */
const maxOther = 12;

/** Runs of fewer lines than this are shown: folded, they would take as much space. */
const minFolded = 3;

/** Lines and characters on a page, of the 150,001 that read-event.sql reads; the download has all of them. */
const maxLines = 1000;
const maxChars = 150_000;

type Line = { readonly text: string; readonly isShown: boolean; readonly kind: 'cause' | 'own' | 'dim' };

type Options = {
  /** The id of the element, unique on its page. */
  readonly id: string;
  /** The address of the whole stack trace. */
  readonly download: string;
};

/**
 * A stack trace in which every cause is shown with its first frames of the application, and runs of other
 * frames are folded. Nothing is left out without being counted; of a long one, folded lines are left out
 * before causes are.
 */
export function stackTrace(trace: string, { id, download }: Options): Html {
  const all = trace.trimEnd().split(/\r?\n/);
  const lines = trace.slice(0, maxChars).trimEnd().split(/\r?\n/);
  const runs = limitLines(foldRuns(readLines(lines)));
  const last = runs.at(-1);
  const count = last ? last.from + last.lines.length : 0;
  const isCut = count < all.length || trace.length > maxChars;
  const isWhole = !isCut && !runs.some(({ isOmitted }) => isOmitted);
  const cut = isCut && `The first ${countOf(count, 'line')} of it.`;
  return html`<div class="code stack" id="${id}" tabindex="0" role="region" aria-label="Stack trace">${runs.map(showRun)}</div>
    <p class="stack-actions small">${cut && html`<b>${cut}</b> `}<a href="${download}" download>Download</a>${isWhole && html` <button type="button" class="link" data-copy="${id}" hidden>Copy</button>`}</p>`;
}

/** Lines of one kind that are shown below each cause. */
const maxShown = { library: maxLibrary, own: maxOwn, other: maxOther };

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
      const isBelowOwn = kind === 'library' && seen.own > 0;
      const isShown = seen[kind] <= maxShown[kind] && !isBelowOwn;
      read.push({
        text,
        isShown: isShown || index === lines.length - 1,
        kind: kind === 'library' ? 'dim' : 'own',
      });
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

type Run = {
  readonly isShown: boolean;
  /** Whether its lines are only counted. */
  readonly isOmitted?: boolean;
  /** The index of its first line. */
  readonly from: number;
  readonly lines: Line[];
};

function foldRuns(lines: readonly Line[]): Run[] {
  const runs: Run[] = [];
  for (const [index, line] of lines.entries()) {
    const last = runs.at(-1);
    if (last?.isShown === line.isShown) last.lines.push(line);
    else runs.push({ isShown: line.isShown, from: index, lines: [line] });
  }
  return runs.map((run) => (run.lines.length < minFolded ? { ...run, isShown: true } : run));
}

/** Keeps the first lines that are shown, and folded ones as far as there is room for them. */
function limitLines(runs: readonly Run[]): Run[] {
  let shown = 0;
  const kept = runs.flatMap((run) => {
    if (shown >= maxLines) return [];
    if (!run.isShown) return [run];
    const lines = run.lines.slice(0, maxLines - shown);
    shown += lines.length;
    return [{ ...run, lines }];
  });
  let room = maxLines - shown;
  return kept.map((run) => {
    if (run.isShown) return run;
    room -= run.lines.length;
    return room < 0 ? { ...run, isOmitted: true } : run;
  });
}

function showRun({ isShown, isOmitted = false, lines }: Run): Html {
  const isLibrary = lines.every(({ kind }) => kind === 'dim');
  const count = countOf(
    lines.length,
    isLibrary ? 'line of libraries' : 'more line',
    isLibrary ? 'lines of libraries' : undefined,
  );
  if (isOmitted) return html`<p class="muted small">${count}, in the download</p>`;
  const shown = lines.map(
    ({ text, kind }) => html`<span class="frame${kind !== 'own' && ` ${kind}`}">${text}\n</span>`,
  );
  return isShown ? html`<pre>${shown}</pre>` : collapsible(count, html`<pre>${shown}</pre>`);
}
