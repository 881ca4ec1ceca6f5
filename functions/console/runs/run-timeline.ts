import { countOf } from '../../../shared/count-of.ts';
import type { ListedRun } from '../../../shared/replay/list-runs.ts';
import type { Tick } from '../../../shared/schedule/ticks.ts';
import { axisTime, stepTitle, swatch } from '../components/chart.ts';
import { section } from '../components/section.ts';
import { type Content, type Html, html } from '../html.ts';
import { describeTick } from './tick-page.ts';

const width = 1000;
const lane = 14;
const hourMs = 3_600_000;

type Span = {
  readonly id: string;
  readonly from: Date;
  readonly to: Date;
  readonly tone: string;
  readonly says: string;
};

/** Replays and ticks of the last day along one line of time, each linked to its page. */
export function runTimeline(runs: readonly ListedRun[], ticks: readonly Tick[], now: Date): Html | false {
  const since = now.getTime() - 24 * hourMs;
  const isShown = ({ to }: Span) => to.getTime() > since;
  const replays = runs.map((run) => showReplay(run, now)).filter(isShown);
  const retries = ticks.map((tick) => showTick(tick, now)).filter(isShown);
  if (replays.length + retries.length === 0) return false;
  const x = (at: Date) => (Math.max(0, at.getTime() - since) / (24 * hourMs)) * width;
  const draw = (spans: readonly Span[], y: number): Content =>
    spans.map(
      ({ id, from, to, tone, says }) =>
        html`<a href="runs/${id}" tabindex="-1" aria-label="Run ${id}: ${says}"><g>${stepTitle(from, says)}<rect class="${tone}" x="${x(from).toFixed(1)}" y="${y}" width="${Math.max(3, x(to) - x(from)).toFixed(1)}" height="${lane - 4}"/></g></a>`,
    );
  const words = `${countOf(replays.length, 'replay')} and ${countOf(retries.length, 'scheduled retry', 'scheduled retries')} in 24 hours`;
  const axis = [24, 18, 12, 6].map((hours) => axisTime(new Date(now.getTime() - hours * hourMs)));
  const chart = html`<figure class="flow run-timeline">
      <svg viewBox="0 0 ${width} ${2 * lane}" preserveAspectRatio="none" role="group" aria-label="${words}">${draw(replays, 2)}${draw(retries, lane + 2)}</svg>
      <figcaption>${axis}<span>now</span></figcaption></figure>`;
  const legend = html`<span class="muted small">${swatch('busy', 'replays')}${swatch('idle', 'scheduled retries that claimed events')}</span>`;
  return section('The last day', chart, legend);
}

/** A replay is red if it failed, and has no color of its own if it sent nothing. */
function showReplay({ id, reason, createdAt, endedAt, progress }: ListedRun, now: Date): Span {
  const tone = progress.failed > 0 ? 'in' : progress.delivered > 0 ? 'out' : 'busy';
  return { id, from: createdAt, to: endedAt ?? now, tone, says: reason ?? `Replay ${id}` };
}

function showTick(tick: Tick, now: Date): Span {
  const { id, startedAt, endedAt } = tick;
  return { id, from: startedAt, to: endedAt ?? now, tone: 'idle', says: describeTick(tick) };
}
