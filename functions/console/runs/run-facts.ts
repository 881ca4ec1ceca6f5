import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { paces, rateOf } from '../../../shared/replay/rollout.ts';
import type { ListedRun } from '../../../shared/replay/run.ts';
import type { showRun } from '../../../shared/replay/show-run.ts';
import { type SkipReason, skipReasons } from '../../../shared/replay/skip-reasons.ts';
import { picture } from '../components/chart.ts';
import { ago, moment } from '../components/format.ts';
import { searchLink } from '../components/links.ts';
import { facts, section, stat } from '../components/section.ts';
import { type Content, type Html, html } from '../html.ts';

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
export function verifiedOutcome({ id, verified, progress }: ShownRun): Html | false {
  if (progress.delivered === 0) return false;
  const { recovered, recurred, delivered } = verified;
  const judged = recovered + recurred + delivered;
  // Another delivery may have closed some of them since.
  const open = searchLink(`run:${id}/delivered status:PENDING,PROCESSING,FAILED_PERMANENTLY`);
  const again = recurred > 0 && html`, <a href="${open}">those not closed since</a>`;
  const counts = facts([
    ['Recovered', countOf(recovered, 'event')],
    ['Recurred', html`<span class="${recurred > 0 && 'bad'}">${countOf(recurred, 'event')}</span>${again}`],
    ['Watched', countOf(delivered, 'event')],
  ]);
  const hint = html`<p class="hint">A delivered event has recovered when its consumer has not reported it again for 24 hours.${judged < progress.delivered && ` These are the last ${formatNumber(judged)} delivered.`}</p>`;
  return section('Verified outcome', html`${counts}${hint}`);
}

/** The request of a run. */
export function runFacts(run: ShownRun, events: Content, patch: string | null): Html {
  const { pace, waitForTarget, startAt, notAfter } = run.rollout;
  const rate = rateOf(run.rollout);
  const request = facts([
    ['Events', events],
    ['Target', run.request.target],
    ['Pace', html`<b>${pace}</b>: ${paces[pace].meaning}`],
    ['Rate', rate !== undefined && `${rate} per second`],
    ['Target down', waitForTarget && 'waits until it is back'],
    ['Start at', startAt !== undefined && moment(new Date(startAt))],
    ['Not after', notAfter !== undefined && moment(new Date(notAfter))],
    ['Patch', patch !== null && html`<code>${patch}</code>`],
    ['Excluded', listExcluded(run)],
    ['Started', moment(run.createdAt)],
    ['Ended', run.endedAt && moment(run.endedAt)],
  ]);
  return section('Request', request);
}

function listExcluded({ excluded }: ShownRun): Html[] {
  return Object.entries(excluded).map(
    ([reason, events]) => html`<div>${countOf(events, 'event')}: ${skipReasons[reason as SkipReason]}</div>`,
  );
}

/** The progress of a run: a bar of its shares, and words: `5,120 of 12,480 delivered, 3 skipped`. */
export function runProgress({ progress, state }: Pick<ListedRun, 'progress' | 'state'>): Html {
  const { selected, delivered, failed, skipped, waiting, inFlight } = progress;
  let x = 0;
  const bars = Object.entries({ out: delivered, in: failed, idle: skipped, busy: inFlight }).map(
    ([tone, events]) => {
      const width = selected === 0 ? 0 : (events / selected) * 1000;
      x += width;
      return { tone, x: x - width, width, height: 8 };
    },
  );
  const shares = [
    `${formatNumber(delivered)} of ${formatNumber(selected)} delivered`,
    failed > 0 && `${formatNumber(failed)} failed`,
    skipped > 0 && `${formatNumber(skipped)} skipped`,
    waiting > 0 && `${formatNumber(waiting)} ${state === 'ended' ? 'not sent' : 'waiting'}`,
  ];
  return html`${picture('progress', [1000, 8], bars)}<p class="muted small">${shares.filter(Boolean).join(', ')}</p>`;
}
