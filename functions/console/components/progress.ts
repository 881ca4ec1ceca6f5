import { formatNumber } from '../../../shared/count-of.ts';
import type { ListedRun } from '../../../shared/replay/list-runs.ts';
import { type Html, html } from '../html.ts';
import { picture } from './chart.ts';

/**
 * The progress of a run: a bar with the shares of the selected events, and its words, such as `5,120 of 12,480
 * delivered, 12 failed, 3 skipped, 7,345 waiting`; of an ended run `7,345 not sent`.
 */
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
