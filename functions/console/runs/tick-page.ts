import { countOf, formatNumber } from '../../../shared/count-of.ts';
import type { Tally } from '../../../shared/delivery/tally.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import { listTicks, type Tick } from '../../../shared/schedule/ticks.ts';
import { moment } from '../components/format.ts';
import { pageHead, section } from '../components/section.ts';
import { type Column, table } from '../components/table.ts';
import { shortenTarget } from '../components/target-state.ts';
import { html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { runIdOf } from './run-actions.ts';

/** A tick with its tally for each target. Throws a NotFoundError. */
export async function tickPage({ db }: ConsoleDeps, context: PageContext): Promise<Page> {
  const id = runIdOf(context);
  const [tick] = await listTicks(db, { before: String(BigInt(id) + 1n), limit: 1 });
  if (tick?.id !== id) throw new NotFoundError(`There is no run ${(context.params.id ?? '').slice(0, 40)}`);
  const tallies = (['claimed', 'delivered', 'transient', 'permanent'] as const).map(
    (of): Column<[string, Partial<Tally>]> => {
      const heading = `${of[0]?.toUpperCase()}${of.slice(1)}`;
      return [
        heading,
        of === 'transient' ? 'num wide-only' : 'num',
        ([, tally]) => formatNumber(tally[of] ?? 0),
      ];
    },
  );
  const targets = table('', Object.entries(tick.targets), [
    ['Target', 'wrap', ([target]) => shortenTarget(target)],
    ...tallies,
  ]);
  const started = html`<span class="muted">${moment(tick.startedAt)}</span>`;
  const main = html`${pageHead('Scheduled retries', [['Runs', 'runs'], [id]], started)}
    <p>${describeTick(tick)}</p>${section('By target', targets)}`;
  return { title: `Run ${id}`, tab: 'runs', main };
}

/**
 * The expected start of the next tick, by the median interval of the last ones: the database does not know
 * the schedule.
 */
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
