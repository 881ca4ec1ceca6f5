import { countOf } from '../../../shared/count-of.ts';
import type { ListedRun } from '../../../shared/replay/list-runs.ts';
import type { Tick } from '../../../shared/schedule/ticks.ts';
import { axisTime, type Mark, swatch, timeChart } from '../components/chart.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { describeTick } from './tick-page.ts';

const lane = 14;
const dayMs = 86_400_000;

/** Replays and ticks of the last day along one line of time, each linked to its page. */
export function runTimeline(runs: readonly ListedRun[], ticks: readonly Tick[], now: Date): Html | false {
  const since = now.getTime() - dayMs;
  const place = (at: Date) => Math.max(0, (at.getTime() - since) / dayMs);
  const draw = (
    id: string,
    [at, to]: readonly [Date, Date],
    bar: { tone: string; y: number; says: string },
  ): Mark[] => {
    if (to.getTime() <= since) return [];
    const width = Math.max(0.003, place(to) - place(at));
    const rects = [{ tone: bar.tone, x: place(at), width, y: bar.y, height: lane - 4 }];
    return [{ at, rects, says: bar.says, href: `runs/${id}` }];
  };
  // A replay is red if it failed, and has no color of its own if it sent nothing.
  const replays = runs.flatMap(({ id, reason, createdAt, endedAt, progress }) => {
    const tone = progress.failed > 0 ? 'in' : progress.delivered > 0 ? 'out' : 'busy';
    return draw(id, [createdAt, endedAt ?? now], { tone, y: 2, says: reason ?? `Replay ${id}` });
  });
  const retries = ticks.flatMap((tick) => {
    const bar = { tone: 'idle', y: lane + 2, says: describeTick(tick) };
    return draw(tick.id, [tick.startedAt, tick.endedAt ?? now], bar);
  });
  const marks = [...replays, ...retries];
  if (marks.length === 0) return false;
  const label = `${countOf(replays.length, 'replay')} and ${countOf(retries.length, 'scheduled retry', 'scheduled retries')} in 24 hours`;
  const axis = [4, 3, 2, 1].map((quarters) => axisTime(new Date(now.getTime() - (quarters * dayMs) / 4)));
  const chart = timeChart({ label, height: 2 * lane, marks, axis: [...axis, 'now'] });
  const legend = html`<span class="muted small">${swatch('busy', 'replays')}${swatch('idle', 'scheduled retries that claimed events')}</span>`;
  return section('The last day', chart, legend);
}
