import { formatNumber } from '../../../shared/count-of.ts';
import { sumUp } from '../../../shared/replay/decide-rollout.ts';
import type { Run } from '../../../shared/replay/run.ts';
import { axisTime, barChart, swatch } from '../components/chart.ts';
import { formatDuration } from '../components/format.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ShownRun } from './run-facts.ts';

const maxBars = 60;

/** Seconds of a bar. None is finer than the periods that a run of that length is counted in. */
const widths = [5, 10, 60, 300, 3600, 21_600, 86_400, 604_800];

/**
 * The deliveries of a run over time, with a line at the end of each step of its ramp. Nothing for a run of a
 * few seconds.
 */
export function throughputSection(run: ShownRun, row: Run, now: Date): Html | false {
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
    lines: findSteps(run, row).map(({ at, says }) => ({ step: stepOf(at), says })),
  });
  const legend = html`<span class="muted small">${swatch('out', 'delivered')}${swatch('in', 'failed')}· in steps of ${formatDuration(width * 1000)}</span>`;
  return section('Throughput', chart, legend);
}

/** When each step of the ramp ended, in the periods that a run is counted in. */
function findSteps({ throughput, rollout }: ShownRun, { stageBeganWith }: Run) {
  const ends = sumUp(rollout.ramp ?? []).map((end) => stageBeganWith + end);
  let done = 0;
  const found: { readonly says: string; readonly at: Date }[] = [];
  for (const { at, delivered, failed } of throughput) {
    done += delivered + failed;
    for (let end = ends[found.length]; end !== undefined && end <= done; end = ends[found.length])
      found.push({ says: `Step ${found.length + 1} of the ramp ended`, at });
  }
  return found;
}
