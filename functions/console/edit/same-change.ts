import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { TooCostlyError } from '../../../shared/errors.ts';
import { parseFilterText } from '../../../shared/events/filter/parse-filter-text.ts';
import { listCompared } from '../../../shared/events/masking/guard-probes.ts';
import { derivePatch } from '../../../shared/replay/derive-patch.ts';
import { previewRun } from '../../../shared/replay/preview-run.ts';
import { type RunRequest, readRunRequest } from '../../../shared/replay/run-request.ts';
import { icon } from '../components/icon.ts';
import { collapsible, section } from '../components/section.ts';
import { searchLink } from '../events/search.ts';
import { type MaskedEvent, readMaskedEvent } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';

/** An address of more characters is too long for some proxies. */
const maxPatch = 4000;

/**
 * After the edit of one event: how many others fail for the same reason, how many of them the same change
 * fits, and a preview of it. Nothing for a viewer, and for an event that is no edit.
 */
export async function sameChangeSection(
  deps: ConsoleDeps,
  { caller, now }: PageContext,
  edit: MaskedEvent | undefined,
): Promise<Html | false> {
  if (!caller.isOperator || !edit?.editedFrom) return false;
  const original = await readMaskedEvent(deps, edit.editedFrom);
  if (!original?.fingerprint) return false;
  const q = `fingerprint:${original.fingerprint} status:PENDING,FAILED_PERMANENTLY captured:<${edit.createdAt.toISOString()}`;
  const patch = deriveChange(original, edit);
  if (patch === undefined) return false;
  const parsed = parseFilterText(q);
  if (!parsed.ok) return false;
  const body = JSON.stringify({ filter: parsed.value, dryRun: true, samples: 0 });
  const request = readRunRequest({ raw: `${body.slice(0, -1)},"patch":${patch}}`, now });
  // The answer would tell whether the masked values of others are the same.
  if (listCompared(deps, request).length > 0) return false;
  const { selected, fit } = await tryPreview(deps, request);
  if (selected === 0 || !fit) return false;
  return section('The same for the others', describeFit({ selected, fit, q, patch }));
}

/** Shows nothing of an error with too many events to be read beside a page. */
async function tryPreview(deps: ConsoleDeps, request: RunRequest) {
  try {
    return await previewRun(deps, request);
  } catch (error) {
    if (error instanceof TooCostlyError) return { selected: 0, fit: null };
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

type Fit = Pick<Awaited<ReturnType<typeof previewRun>>, 'selected'> & {
  readonly fit: NonNullable<Awaited<ReturnType<typeof previewRun>>['fit']>;
  readonly q: string;
  readonly patch: string;
};

function describeFit({ selected, fit: { fits, doesNotFit, unknown, reasons }, q, patch }: Fit): Html {
  const others = countOf(selected, 'other fails', 'others fail');
  const misfits = reasons.flatMap(({ ids }) => ids);
  const rest =
    doesNotFit > 0 &&
    html`; <a href="${searchLink(`id:${misfits.join(',')}`)}">show the ${formatNumber(doesNotFit)}</a> that it does not fit`;
  const unchecked = unknown > 0 && ` (of the first ${formatNumber(fits + doesNotFit)} that were checked)`;
  const preview = `runs/new?${new URLSearchParams({ q, patch })}`;
  return html`<p>${others} for this reason. The same change fits <b>${formatNumber(fits)}</b>${unchecked}${rest}.</p>
    ${collapsible('The change, as a JSON Patch', html`<pre class="code">${JSON.stringify(JSON.parse(patch), null, 2)}</pre>`)}
    ${fits > 0 && html`<p><a class="button primary" href="${preview}">${icon('replay')}Do the same to ${formatNumber(fits + unknown)}…</a></p>`}`;
}
