import type { describeRun } from '../../replay/runs/describe-run.ts';
import { type Html, html } from '../html.ts';
import { formatNumber } from '../parts/number.ts';

type Progress = ReturnType<typeof describeRun>['progress'];
type Part = readonly [tone: string, events: number];

/** How far a run is, as a bar: delivered, failed, skipped and in flight, out of what was selected. */
export function progressBar(progress: Progress): Html {
  const { selected, delivered, failed, skipped, inFlight } = progress;
  const parts: readonly Part[] = [
    ['delivered', delivered],
    ['failed', failed],
    ['skipped', skipped],
    ['flying', inFlight],
  ];
  let x = 0;
  const bars = parts.map(([tone, events]) => {
    const width = selected === 0 ? 0 : (events / selected) * 1000;
    x += width;
    return html`<rect class="${tone}" x="${(x - width).toFixed(1)}" width="${width.toFixed(1)}" height="8"/>`;
  });
  return html`<svg class="progress" viewBox="0 0 1000 8" preserveAspectRatio="none" role="img" aria-label="${describeProgress(progress)}">${bars}</svg>`;
}

/** `5,120 of 12,480 delivered, 12 failed, 3 skipped, 7,345 waiting` */
export function describeProgress({ selected, delivered, failed, skipped, waiting }: Progress): string {
  const parts = [
    `${formatNumber(delivered)} of ${formatNumber(selected)} delivered`,
    failed > 0 && `${formatNumber(failed)} failed`,
    skipped > 0 && `${formatNumber(skipped)} skipped`,
    waiting > 0 && `${formatNumber(waiting)} waiting`,
  ];
  return parts.filter(Boolean).join(', ');
}
