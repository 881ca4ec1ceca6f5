import { hidden, maskJson } from '../../../shared/mask.ts';
import type { Route } from '../../../shared/routes.ts';
import type { Preview } from '../../replay/runs/preview-run.ts';
import { diffLines } from '../edit/diff-lines.ts';
import { toLines } from '../edit/message-text.ts';
import { showDiff } from '../edit/show-diff.ts';
import { type Html, html } from '../html.ts';

type Sample = Preview['samples'][number];

/** What a patch makes of the first events, without what any route hides. */
export function patchedSamples({ samples }: Preview, routes: readonly Route[]): Html | false {
  const patched = samples.filter(({ after, skipped }) => after ?? skipped);
  if (patched.length === 0) return false;
  const paths = routes.flatMap(({ mask }) => mask.filter((path) => path.startsWith('$')));
  return html`<section aria-labelledby="patched"><h2 id="patched">What the patch makes of the first of them</h2>
    ${patched.map((sample) => showSample(sample, paths))}</section>`;
}

function showSample({ id, eventType, before, after, skipped }: Sample, paths: readonly string[]): Html {
  const lines = (shown: Sample['before']) => toLines(hide(shown, paths));
  return html`<h3><a href="events/${id}">${eventType}</a> <span class="muted small">${id}</span></h3>
    ${skipped && html`<p class="warning">Will be left out: ${skipped.detail}</p>`}
    ${after && showDiff(diffLines(lines(before), lines(after)))}`;
}

/** Whose route an event is says no sample, so that all that is hidden anywhere is hidden here. */
function hide(shown: Sample['before'], paths: readonly string[]): string {
  const body = shown?.body ?? '';
  const text = typeof body === 'string' ? body : body.base64;
  return paths.length === 0 ? text : (maskJson(text, paths) ?? hidden);
}
