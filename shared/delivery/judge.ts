import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { log } from '../log.ts';
import { type Cause, ofTarget } from './cause.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import type { HealthReport } from './health-reports.ts';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';
import { fail, type Work } from './work-state.ts';

/**
 * Adds deliveries to the statistics of their targets, which open and close the breakers. Returns the targets
 * that have one.
 */
const judgeBreakers = statement<
  { reports: readonly HealthReport[] },
  { readonly target: string; readonly cause: Cause }
>('judge-breakers', import.meta.url);

/** Gives targets that said "too many" a pace, which is one for all workers. */
const setPace = statement<{ limits: readonly HealthReport[] }, never>('set-pace', import.meta.url);

/**
 * Reports the health of targets, apart from the settlement: a locked breaker delays no outcome. After it: the
 * pace of a target is one of its attempts. Never throws.
 */
export async function judgeHealth(work: Work, endsAt: number): Promise<void> {
  const { health, deps, changes } = work;
  if (work.isJudging) return;
  work.isJudging = true;
  try {
    while (health.hasNews()) {
      const reports = health.takeReports();
      const limits = reports.filter(({ pause }) => pause > 0);
      if (limits.length > 0) await unlessLocked(setPace(deps.db, { limits }), []);
      health.confirm(await judge(deps, reports, endsAt));
    }
  } catch (error) {
    fail(work, error);
  } finally {
    work.isJudging = false;
    changes.announce();
  }
}

/**
 * Records the health of targets, and returns those without a breaker: they have not failed. Retries as
 * `settle` does, but waits a moment only for a breaker that another session has locked, and records the
 * others. The next deliveries show the health again.
 */
async function judge(
  { db }: Pick<DeliveryDeps, 'db'>,
  reports: readonly HealthReport[],
  endsAt: number,
): Promise<readonly string[]> {
  try {
    const judging = () => unlessLocked(judgeBreakers(db, { reports }), undefined);
    const judged = await retryWhileUnavailable(endsAt, judging);
    if (judged) {
      const targets = new Set(judged.filter(({ cause }) => cause === ofTarget).map(({ target }) => target));
      return reports.map(({ target }) => target).filter((target) => !targets.has(target));
    }
    if (reports.length > 1)
      return (await Promise.all(reports.map((report) => judge({ db }, [report], endsAt)))).flat();
    log('WARNING', 'The health of a target was not recorded: its breaker is locked.', {
      target: reports[0]?.target,
    });
    return [];
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    log('WARNING', 'The health of targets was not recorded.', { error: String(error.cause) });
    return [];
  }
}
