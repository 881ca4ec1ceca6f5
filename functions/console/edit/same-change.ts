import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { TooCostlyError } from '../../../shared/errors.ts';
import { parseFilterText } from '../../../shared/events/filter/parse-filter-text.ts';
import { listCompared } from '../../../shared/events/masking/guard-probes.ts';
import { derivePatch } from '../../../shared/replay/derive-patch.ts';
import { type Preview, previewRun } from '../../../shared/replay/preview-run.ts';
import { readRunRequest } from '../../../shared/replay/run-request.ts';
import { replayButton, replayPath } from '../components/links.ts';
import { collapsible, section } from '../components/section.ts';
import { searchLink } from '../events/search.ts';
import { type MaskedEvent, readMaskedEvent } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';
import { addPatch } from '../runs/replay-form.ts';

/** An address of more characters is too long for some proxies. */
const maxPatch = 4000;

/**
 * After the edit of one event: how many others fail for the same reason, how many of them the same change
 * fits, and a preview of it. Nothing for a viewer, for an event that is no edit, and for an error with too
 * many events to be read beside a page.
 */
export async function sameChangeSection(
  deps: ConsoleDeps,
  { caller, now }: PageContext,
  edit: MaskedEvent | undefined,
): Promise<Html | false> {
  if (!caller.isOperator || !edit?.editedFrom) return false;
  const original = await readMaskedEvent(deps, edit.editedFrom);
  const patch = original?.fingerprint && deriveChange(original, edit);
  if (!patch) return false;
  const q = `fingerprint:${original.fingerprint} status:PENDING,FAILED_PERMANENTLY captured:<${edit.createdAt.toISOString()}`;
  const parsed = parseFilterText(q);
  if (!parsed.ok) return false;
  const json = JSON.stringify({ filter: parsed.value, dryRun: true, samples: 0 });
  const request = readRunRequest({ raw: addPatch(json, patch), now });
  // The answer would tell whether the masked values of others are the same.
  if (listCompared(deps, request).length > 0) return false;
  try {
    const preview = await previewRun(deps, request);
    return preview.selected > 0 && section('The same for the others', describeFit(preview, q, patch));
  } catch (error) {
    if (error instanceof TooCostlyError) return false;
    throw error;
  }
}

/** The change of the payload, unless it would show or guess masked values. */
function deriveChange(original: MaskedEvent, edit: MaskedEvent): string | undefined {
  const isWhole = [original, edit].every(({ body, bytes }) => body.length >= bytes);
  if (!isWhole || original.isMasked || edit.isMasked) return undefined;
  const patch = derivePatch(original.body.toString(), edit.body.toString());
  return patch === undefined || patch.length > maxPatch ? undefined : patch;
}

function describeFit({ selected, fit }: Preview, q: string, patch: string): Html {
  const { fits = 0, doesNotFit = 0, unknown = 0, reasons = [] } = fit ?? {};
  const misfits = searchLink(`id:${reasons.flatMap(({ ids }) => ids).join(',')}`);
  const rest =
    doesNotFit > 0 &&
    html`; <a href="${misfits}">show the ${formatNumber(doesNotFit)}</a> that it does not fit`;
  const unchecked = unknown > 0 && ` (of the first ${formatNumber(fits + doesNotFit)} that were checked)`;
  const button = replayButton(
    `Do the same to ${formatNumber(fits + unknown)}…`,
    replayPath({ q, patch }),
    html`class="button primary"`,
  );
  const code = html`<pre class="code">${JSON.stringify(JSON.parse(patch), null, 2)}</pre>`;
  return html`<p>${countOf(selected, 'other fails', 'others fail')} for this reason. The same change fits <b>${formatNumber(fits)}</b>${unchecked}${rest}.</p>
    ${collapsible('The change, as a JSON Patch', code)}${fits > 0 && html`<p>${button}</p>`}`;
}
