import { formatNumber } from '../../../shared/count-of.ts';
import { sumUp } from '../../../shared/replay/decide-rollout.ts';
import type { Run } from '../../../shared/replay/run.ts';
import { stepTitle } from '../components/flow-section.ts';
import { formatDuration } from '../components/format.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ShownRun } from './run-facts.ts';

const height = 72;
const barWidth = 10;
const maxBars = 60;

/** Seconds of a bar. None is finer than the periods that a run of that length is counted in. */
const widths = [5, 10, 60, 300, 3600, 21_600, 86_400, 604_800];

type Bar = { readonly delivered: number; readonly failed: number };

/**
 * The deliveries of a run over time, with a line at the end of each step of its ramp. Nothing for a run of a
 * few seconds.
 */
export function throughputSection(run: ShownRun, row: Run, now: Date): Html | false {
  const began = run.createdAt.getTime();
  const seconds = ((run.endedAt ?? now).getTime() - began) / 1000;
  const width = widths.find((each) => seconds / each <= maxBars) ?? seconds / maxBars;
  const bars: Bar[] = Array.from({ length: Math.ceil(seconds / width) }, () => ({ delivered: 0, failed: 0 }));
  const indexOf = (at: Date) =>
    Math.min(bars.length - 1, Math.max(0, Math.floor((at.getTime() - began) / 1000 / width)));
  for (const { at, delivered, failed } of run.throughput) {
    const i = indexOf(at);
    const bar = bars[i];
    if (bar) bars[i] = { delivered: bar.delivered + delivered, failed: bar.failed + failed };
  }
  if (bars.length < 2 || run.throughput.length === 0) return false;
  const legend = html`<span class="muted small"><i class="swatch out"></i> delivered <i class="swatch in"></i> failed, in steps of ${formatDuration(width * 1000)}</span>`;
  const steps = findSteps(run, row).map(({ step, at }) => ({ step, x: (indexOf(at) + 1) * barWidth }));
  return section('Throughput', drawBars(bars, { run, width, steps }), legend);
}

type Chart = {
  readonly run: ShownRun;
  readonly width: number;
  readonly steps: readonly { readonly step: number; readonly x: number }[];
};

function drawBars(bars: readonly Bar[], { run, width, steps }: Chart): Html {
  const peak = Math.max(1, ...bars.map(({ delivered, failed }) => delivered + failed));
  const timeOf = (i: number) => new Date(run.createdAt.getTime() + i * width * 1000);
  const rects = bars.map(({ delivered, failed }, i) => {
    const [down, up] = [(delivered / peak) * height, (failed / peak) * height];
    const rect = (tone: string, y: number, size: number) =>
      html`<rect class="${tone}" x="${i * barWidth + 1}" y="${y.toFixed(1)}" width="${barWidth - 2}" height="${size.toFixed(1)}"/>`;
    return html`<g>${stepTitle(timeOf(i), `${formatNumber(delivered)} delivered, ${formatNumber(failed)} failed`)}${rect('out', height - down, down)}${rect('in', height - down - up, up)}</g>`;
  });
  const lines = steps.map(
    ({ step, x }) =>
      html`<line class="step" x1="${x}" x2="${x}" y1="0" y2="${height}"><title>Step ${step} of the ramp ended</title></line>`,
  );
  const all = bars.length * barWidth;
  const began = timeOf(0).toISOString();
  const { delivered, failed } = run.progress;
  return html`<figure class="flow run-flow">
    <svg viewBox="0 0 ${all} ${height}" preserveAspectRatio="none" role="img" aria-label="${formatNumber(delivered)} delivered and ${formatNumber(failed)} failed, up to ${formatNumber(peak)} in ${formatDuration(width * 1000)}">${rects}${lines}</svg>
    <span class="tick top" aria-hidden="true">${formatNumber(peak)}</span>
    <figcaption><time datetime="${began}" data-axis="hour">${began.slice(11, 16)}</time><span>${formatDuration(bars.length * width * 1000)} later</span></figcaption>
    <p class="muted small" data-readout aria-hidden="true" hidden></p>
  </figure>`;
}

/** When each step of the ramp ended, in the periods that a run is counted in. */
function findSteps({ throughput, rollout }: ShownRun, { stageBeganWith }: Run) {
  const ends = sumUp(rollout.ramp ?? []).map((end) => stageBeganWith + end);
  let done = 0;
  const found: { readonly step: number; readonly at: Date }[] = [];
  for (const { at, delivered, failed } of throughput) {
    done += delivered + failed;
    for (let end = ends[found.length]; end !== undefined && end <= done; end = ends[found.length])
      found.push({ step: found.length + 1, at });
  }
  return found;
}
