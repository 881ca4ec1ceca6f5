import { formatNumber } from '../../../shared/count-of.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { isHidden } from '../../../shared/events/masking/mask-request.ts';
import type { Run } from '../../../shared/replay/run.ts';
import { icon } from '../components/icon.ts';
import { type Html, html } from '../html.ts';
import type { ReplayForm } from './replay-form.ts';
import type { ShownRun } from './run-facts.ts';

/**
 * The replays that may follow an ended one: of what it did not send, of what failed, of the same events. Each
 * is a preview that repeats its target and rollout, and asks for a reason. The events of a run with a patch
 * are the edits, so that only the last one repeats it; and the rest of a run that was cancelled while it
 * edited them is not what it would have sent.
 */
export function followUps(run: ShownRun, row: Run): Html {
  if (isHidden(run.patch)) {
    return html`<p class="hint">The patch of this replay has masked values: write it again to repeat it.</p>`;
  }
  const { failed } = run.progress;
  const isEdited = !row.edited || row.editedTo === row.selected;
  const waiting = isEdited ? run.progress.waiting : 0;
  const link = (text: string, q: string, patch: string | null = null) =>
    html`<a class="button" href="${`runs/new?${new URLSearchParams({ ...formOf(row), ...(patch !== null && { patch }), q })}`}">${icon('replay')}${text}</a>`;
  return html`<nav class="actions run-actions" aria-label="Next replay">
    ${waiting > 0 && link(`Replay the rest (${formatNumber(waiting)})`, `run:${run.id}/waiting`)}
    ${failed > 0 && link(`Replay the failed (${formatNumber(failed)})`, `run:${run.id}/failed`)}
    ${!isHidden(run.request.filter) && link('Same again', printFilterText(run.request.filter), row.patch)}
  </nav>`;
}

/** The form of a run, without its events and its reason. */
function formOf({ request, rollout }: Run): ReplayForm {
  const { ratePerSecond, ramp, canary, gate, waitForTarget, toHeldTargets } = rollout;
  return {
    stopAbove: String(gate ? 100 * gate.maxFailureRatio : 100),
    ...(request.includeSucceeded && { includeSucceeded: 'on' }),
    ...(request.includeDiscarded && { includeDiscarded: 'on' }),
    ...(request.target !== undefined && { target: request.target }),
    ...(ratePerSecond !== undefined && { rate: String(ratePerSecond) }),
    ...(ramp && { ramp: ramp.join(', ') }),
    ...(canary !== undefined && { canary: String(canary) }),
    ...(waitForTarget && { waitForTarget: 'on' }),
    ...(toHeldTargets && { toHeldTargets: 'on' }),
  };
}
