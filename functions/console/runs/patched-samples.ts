import type { Preview } from '../../replay/runs/preview-run.ts';
import { diffLines } from '../edit/diff-lines.ts';
import { toLines } from '../edit/message-text.ts';
import { showDiff } from '../edit/show-diff.ts';
import { type Html, html } from '../html.ts';

type Sample = Preview['samples'][number];

/** What a patch makes of the first events, as far as their routes let it be seen. */
export function patchedSamples({ samples }: Preview): Html | false {
  const patched = samples.filter(({ after, skipped }) => after ?? skipped);
  if (patched.length === 0) return false;
  return html`<section aria-labelledby="patched"><h2 id="patched">What the patch makes of the first of them</h2>
    ${patched.map(showSample)}</section>`;
}

function showSample({ id, eventType, before, after, skipped }: Sample): Html {
  return html`<h3><a href="events/${id}">${eventType}</a> <span class="muted small">${id}</span></h3>
    ${skipped && html`<p class="warning">Will be left out: ${skipped.detail}</p>`}
    ${after && showDiff(diffLines(linesOf(before), linesOf(after)))}`;
}

function linesOf(shown: Sample['before']): string[] {
  const body = shown?.body ?? '';
  return toLines(typeof body === 'string' ? body : body.base64);
}
