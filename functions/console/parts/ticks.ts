import { statement } from '../../../shared/sql.ts';
import type { Tally } from '../../../shared/tally.ts';
import { countOf, formatNumber } from './number.ts';

/** One retry tick. */
export type Tick = {
  readonly id: string;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly stopped: string | null;
  readonly tally: Partial<Tally>;
  readonly targets: Readonly<Record<string, Partial<Tally>>>;
};

export const listTicks = statement<{ before: string; limit: number }, Tick>('list-ticks');

/** Those that had something to do, or are at it. */
export const listBusyTicks = statement<{ limit: number }, Tick>('list-busy-ticks');

/** When the next tick should come, judged by the last ones: the schedule itself is not the office's to know. */
export function expectNextTick(ticks: readonly Tick[]): Date | undefined {
  const [last, ...earlier] = ticks.map(({ started_at }) => started_at.getTime());
  const gaps = earlier.map((at, i) => (ticks[i]?.started_at.getTime() ?? at) - at).sort((a, b) => a - b);
  const usual = gaps[Math.floor(gaps.length / 2)];
  return last === undefined || usual === undefined ? undefined : new Date(last + usual);
}

/** What a tick did, in words. */
export function describeTick({ ended_at, tally, stopped }: Tick): string {
  const { claimed = 0, delivered = 0, failedPermanently = 0 } = tally;
  if (!ended_at) return 'at work';
  // All that was due was tried: nothing that anybody has to be told.
  const why = stopped === null || stopped === 'nothing due' ? '' : `: ${stopped}`;
  if (claimed === 0) return `nothing was due${why}`;
  const failed = failedPermanently > 0 ? `, ${countOf(failedPermanently, 'event')} given up` : '';
  return `${countOf(claimed, 'event')} tried, ${formatNumber(delivered)} delivered${failed}${why}`;
}
