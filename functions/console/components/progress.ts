import { formatNumber } from '../../../shared/count-of.ts';
import type { ListedRun } from '../../../shared/replay/list-runs.ts';
import { type Html, html } from '../html.ts';

type ShownProgress = Pick<ListedRun, 'progress' | 'state'>;

/**
 * The progress of a run as a bar: delivered, failed, skipped and in flight, as shares of the selected events.
 */
export function progressBar(run: ShownProgress): Html {
  const { progress } = run;
  const { selected, delivered, failed, skipped, inFlight } = progress;
  const shares = { out: delivered, in: failed, idle: skipped, busy: inFlight };
  let x = 0;
  const bars = Object.entries(shares).map(([tone, events]) => {
    const width = selected === 0 ? 0 : (events / selected) * 1000;
    x += width;
    return html`<rect class="${tone}" x="${(x - width).toFixed(1)}" width="${width.toFixed(1)}" height="8"/>`;
  });
  return html`<svg class="progress" viewBox="0 0 1000 8" preserveAspectRatio="none" role="img" aria-label="${describeProgress(run)}">${bars}</svg>`;
}

/** `5,120 of 12,480 delivered, 12 failed, 3 skipped, 7,345 waiting`; of an ended run `7,345 not sent` */
export function describeProgress({ progress, state }: ShownProgress): string {
  const { selected, delivered, failed, skipped, waiting } = progress;
  const shares = [
    `${formatNumber(delivered)} of ${formatNumber(selected)} delivered`,
    failed > 0 && `${formatNumber(failed)} failed`,
    skipped > 0 && `${formatNumber(skipped)} skipped`,
    waiting > 0 && `${formatNumber(waiting)} ${state === 'ended' ? 'not sent' : 'waiting'}`,
  ];
  return shares.filter(Boolean).join(', ');
}
