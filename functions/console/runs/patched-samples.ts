import type { Preview } from '../../../shared/replay/preview-run.ts';
import { section } from '../components/section.ts';
import { diffLines } from '../edit/diff-lines.ts';
import { toLines } from '../edit/message-text.ts';
import { showDiff } from '../edit/show-diff.ts';
import { type Html, html } from '../html.ts';

type Sample = Preview['samples'][number];

/** The first events before and after a patch, masked by their routes. */
export function patchedSamples({ samples }: Preview): Html | false {
  const patched = samples.filter(({ after, skipped }) => after ?? skipped);
  if (patched.length === 0) return false;
  return section('First events after the patch', patched.map(showSample));
}

function showSample({ id, eventType, before, after, skipped }: Sample): Html {
  return html`<h3><a href="events/${id}">${eventType}</a> <span class="muted small">${id}</span></h3>
    ${skipped && html`<p class="warning">Excluded: ${skipped.detail}</p>`}
    ${after && showDiff(diffLines(linesOf(before), linesOf(after)))}`;
}

function linesOf(shown: Sample['before']): string[] {
  const body = shown?.body ?? '';
  return toLines(typeof body === 'string' ? body : body.base64);
}
