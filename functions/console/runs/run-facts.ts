import { countOf, formatNumber } from '../../../shared/count-of.ts';
import type { ListedRun } from '../../../shared/replay/run.ts';
import type { showRun } from '../../../shared/replay/show-run.ts';
import { axisTime, barChart, picture, swatch } from '../components/chart.ts';
import { ago, formatDuration, moment } from '../components/format.ts';
import { facts, section, stat } from '../components/section.ts';
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
export function runFacts(run: ShownRun, events: Content, patch: string | null): Html {
  const { rollout } = run;
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
    ['Patch', patch !== null && html`<code>${patch}</code>`],
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

const maxBars = 60;

/** Seconds of a bar. None is finer than the periods that a run of that length is counted in. */
const widths = [5, 10, 60, 300, 3600, 21_600, 86_400, 604_800];

/** The deliveries of a run over time; nothing for a run of a few seconds. */
export function throughputSection(run: ShownRun, now: Date): Html | false {
  const began = run.createdAt.getTime();
  const seconds = ((run.endedAt ?? now).getTime() - began) / 1000;
  const width = widths.find((each) => seconds / each <= maxBars) ?? seconds / maxBars;
  const steps = Math.ceil(seconds / width);
  if (steps < 2 || run.throughput.length === 0) return false;
  const stepOf = (at: Date) =>
    Math.min(steps - 1, Math.max(0, Math.floor((at.getTime() - began) / 1000 / width)));
  const counted = [...Map.groupBy(run.throughput, ({ at }) => stepOf(at))];
  const bars = counted.map(([step, periods]) => {
    const sum = (of: 'delivered' | 'failed') => periods.reduce((total, each) => total + each[of], 0);
    const [delivered, failed] = [sum('delivered'), sum('failed')];
    const says = `${formatNumber(delivered)} delivered, ${formatNumber(failed)} failed`;
    const at = new Date(began + step * width * 1000);
    return { step, at, parts: [['out', delivered] as const, ['in', failed] as const], says };
  });
  const { delivered, failed } = run.progress;
  const chart = barChart({
    label: `${formatNumber(delivered)} delivered and ${formatNumber(failed)} failed, in steps of ${formatDuration(width * 1000)}`,
    steps,
    bars,
    axis: [axisTime(run.createdAt), `${formatDuration(steps * width * 1000)} later`],
  });
  const legend = html`<span class="muted small">${swatch('out', 'delivered')}${swatch('in', 'failed')}· in steps of ${formatDuration(width * 1000)}</span>`;
  return section('Throughput', chart, legend);
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
  return html`${picture('progress', { size: [1000, 8] }, bars)}<p class="muted small">${shares.filter(Boolean).join(', ')}</p>`;
}
