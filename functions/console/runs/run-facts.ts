import { obstacles } from '../../replay/runs/skip-reasons.ts';
import { type Content, type Html, html } from '../html.ts';
import { facts } from '../parts/facts.ts';
import { countOf, formatNumber } from '../parts/number.ts';
import { ago, formatDuration, moment } from '../parts/time.ts';
import type { ShownRun } from './run-state.ts';

/** The tally of a run, which always adds up: selected = delivered + failed + skipped + waiting. */
export function runFigures({ progress, ratePerSecond, doneAt }: ShownRun, now: Date): Html {
  const pace = ratePerSecond !== null && `${ratePerSecond.toFixed(1)} per second`;
  return html`<div class="figures">
    ${figure('Selected', progress.selected, 'frozen when it was made')}
    ${figure('Delivered', progress.delivered, pace)}
    ${figure('Failed', progress.failed, false, progress.failed > 0 && 'bad')}
    ${figure('Skipped', progress.skipped, progress.skipped > 0 && 'changed since')}
    ${figure('Waiting', progress.waiting, doneAt ? html`done ${ago(doneAt, now)}` : progress.inFlight > 0 && `${progress.inFlight} in flight`)}
  </div>`;
}

function figure(label: string, value: number, note: Content, tone: string | false = false): Html {
  return html`<div class="figure"><span class="muted small">${label}</span><span class="value ${tone}">${formatNumber(value)}</span>
    <span class="muted small">${note}</span></div>`;
}

/** What delivered events turned out to be: recovered, or back again. */
export function verifiedOutcome({ verified, progress }: ShownRun): Html | false {
  if (progress.delivered === 0) return false;
  const { quiet, cameBack, delivered, watchSeconds } = verified;
  return html`<section aria-labelledby="verified"><h2 id="verified">Verified outcome</h2>
    ${facts([
      ['Quiet', countOf(quiet, 'event')],
      ['Came back', html`<span class="${cameBack > 0 && 'bad'}">${countOf(cameBack, 'event')}</span>`],
      ['Watched', countOf(delivered, 'event')],
    ])}
    <p class="hint">Delivered is not yet recovered: an event is quiet when its consumer has not failed on it again for ${formatDuration(watchSeconds * 1000)}.</p>
  </section>`;
}

/** What was asked for. */
export function runFacts(run: ShownRun, events: Content): Html {
  const { pace, leftOut, patch } = run;
  return html`<section aria-labelledby="request"><h2 id="request">What was asked for</h2>${facts([
    ['Events', events],
    ['Target', run.request.target],
    ['Also', listIncluded(run)],
    ['Rate', pace.ratePerSecond !== undefined && `${pace.ratePerSecond} per second`],
    ['Ramp', pace.ramp?.join(', ')],
    ['Canary', pace.canary !== undefined && countOf(pace.canary, 'event')],
    [
      'Gate',
      pace.gate &&
        `pauses above ${Math.round(100 * pace.gate.maxFailureRatio)} % failures in ${pace.gate.window}`,
    ],
    ['Patch', patch !== null && html`<code>${JSON.stringify(patch)}</code>`],
    [
      'Left out',
      Object.entries(leftOut).map(
        ([reason, events]) =>
          html`<div title="${obstacles[reason as keyof typeof obstacles]}">${countOf(events, 'event')}: ${reason}</div>`,
      ),
    ],
    ['Began', moment(run.createdAt)],
    ['Ended', run.endedAt && moment(run.endedAt)],
    ['Selection', html`<code title="SHA-256 over the ids">${run.selectionHash.slice(0, 16)}</code>`],
  ])}</section>`;
}

function listIncluded({ request }: ShownRun): string {
  const included = [
    request.includeSucceeded && 'delivered ones',
    request.includeDiscarded && 'discarded ones',
  ];
  return included.filter(Boolean).join(', ');
}
