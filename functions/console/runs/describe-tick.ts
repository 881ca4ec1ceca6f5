import type { Tick } from '../../../shared/schedule/ticks.ts';
import { countOf, formatNumber } from '../components/format.ts';

/** The expected start of the next tick, by the median interval of the last ones: the database does not know the schedule. */
export function expectNextTick(ticks: readonly Tick[]): Date | undefined {
  const [last, ...earlier] = ticks.map(({ startedAt }) => startedAt.getTime());
  const gaps = earlier.map((at, i) => (ticks[i]?.startedAt.getTime() ?? at) - at).sort((a, b) => a - b);
  const usual = gaps[Math.floor(gaps.length / 2)];
  return last === undefined || usual === undefined ? undefined : new Date(last + usual);
}

/** The result of a tick in words. */
export function describeTick({ endedAt, tally, stopped }: Tick): string {
  const { claimed = 0, delivered = 0, failedPermanently = 0 } = tally;
  if (!endedAt) return 'running';
  const why = stopped === null || stopped === 'nothing due' ? '' : ` (${stopped})`;
  if (claimed === 0) return `nothing was due${why}`;
  const failed = failedPermanently > 0 ? `, ${countOf(failedPermanently, 'event')} failed permanently` : '';
  return `${countOf(claimed, 'event')} claimed, ${formatNumber(delivered)} delivered${failed}${why}`;
}
