import { countOf, formatNumber } from '../../../shared/count-of.ts';
import type { showRun } from '../../../shared/replay/show-run.ts';
import { facts, stat } from '../components/facts.ts';
import { ago, moment } from '../components/format.ts';
import { section } from '../components/section.ts';
import { type Content, type Html, html } from '../html.ts';
import { exclusionReasons } from './preview.ts';
/** A run as its page shows it. */
export type ShownRun = Awaited<ReturnType<typeof showRun>>;

/** The tally of a run: selected = delivered + failed + skipped + waiting. */
export function runStats({ id, progress, state, ratePerSecond, doneAt }: ShownRun): Html {
  const { selected, delivered, failed, skipped, waiting, inFlight } = progress;
  const rate = ratePerSecond !== null && `${ratePerSecond.toFixed(1)} per second`;
  const remaining = doneAt ? html`done ${ago(doneAt)}` : inFlight > 0 && `${inFlight} in flight`;
  return html`<div class="stats">
    ${stat('Selected', selected, { note: 'fixed at creation' })}${stat('Delivered', delivered, { note: rate })}
    ${stat('Failed', failed, { tone: failed > 0 && 'bad' })}${stat('Skipped', skipped, { note: skipped > 0 && html`<a href="runs/${id}?outcome=skipped#events">why?</a>` })}
    ${state === 'ended' ? waiting > 0 && stat('Not sent', waiting, { note: 'the run has ended' }) : stat('Waiting', waiting, { note: remaining })}</div>`;
}

/** The delivered events by verdict: recovered, or recurred. */
export function verifiedOutcome({ verified, progress }: ShownRun): Html | false {
  if (progress.delivered === 0) return false;
  const { recovered, recurred, delivered } = verified;
  const judged = recovered + recurred + delivered;
  const counts = facts([
    ['Recovered', countOf(recovered, 'event')],
    ['Recurred', html`<span class="${recurred > 0 && 'bad'}">${countOf(recurred, 'event')}</span>`],
    ['Watched', countOf(delivered, 'event')],
  ]);
  const hint = html`<p class="hint">A delivered event has recovered when its consumer has not reported it again for 24 hours.${judged < progress.delivered && ` These are the last ${formatNumber(judged)} delivered.`}</p>`;
  return section('Verified outcome', html`${counts}${hint}`);
}

/** The request of a run. */
export function runFacts(run: ShownRun, events: Content): Html {
  const { rollout, patch } = run;
  const { ratePerSecond, ramp, canary, gate, waitForTarget, startAt, notAfter } = rollout;
  const request = facts([
    ['Events', events],
    ['Target', run.request.target],
    ['Included', listIncluded(run)],
    ['Rate', ratePerSecond !== undefined && `${ratePerSecond} per second`],
    ['Ramp', ramp?.join(', ')],
    ['Canary', canary !== undefined && countOf(canary, 'event')],
    ['Gate', gate && `pauses above ${Math.round(100 * gate.maxFailureRatio)} % failures in ${gate.window}`],
    ['Target down', waitForTarget && 'waits until it is back'],
    ['Not before', startAt !== undefined && moment(new Date(startAt))],
    ['Not after', notAfter !== undefined && moment(new Date(notAfter))],
    ['Patch', patch !== null && html`<code>${JSON.stringify(patch)}</code>`],
    ['Excluded', listExcluded(run)],
    ['Started', moment(run.createdAt)],
    ['Ended', run.endedAt && moment(run.endedAt)],
    ['Selection', html`<code title="SHA-256 of the event ids">${run.selectionHash.slice(0, 16)}</code>`],
  ]);
  return section('Request', request);
}

function listExcluded({ excluded }: ShownRun): Html[] {
  return Object.entries(excluded).map(
    ([reason, events]) =>
      html`<div>${countOf(events, 'event')}: ${exclusionReasons[reason as keyof typeof exclusionReasons]}</div>`,
  );
}

function listIncluded({ request }: ShownRun): string {
  const included = [request.includeSucceeded && 'delivered', request.includeDiscarded && 'discarded'];
  return included.filter(Boolean).join(', ');
}
