import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { log } from '../log.ts';
import { breakerTerms } from './breaker-terms.ts';
import type { HealthReport } from './health-reports.ts';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';
import { fail, isEmpty, type Work } from './work-state.ts';

const judgeBreaker = statement<HealthReport, never>('judge-breaker', breakerTerms);
const setPace = statement<HealthReport, never>('set-pace', breakerTerms);

/**
 * Reports to the breakers what this worker has seen of targets and causes: all workers obey them. After a
 * settlement, which the pace needs, and apart from it: a locked breaker delays no outcome.
 */
export async function judgeHealth(work: Work, endsAt: number): Promise<void> {
  const { health, deps, changes } = work;
  if (work.isJudging) return;
  work.isJudging = true;
  const take = () => health.takeNews(isEmpty({ ...work, isJudging: false }));
  try {
    for (let reports = take(); reports.length > 0; reports = take())
      for (const report of reports) await tryJudge(deps.db, report, endsAt);
  } catch (error) {
    fail(work, error);
  } finally {
    work.isJudging = false;
    changes.announce();
  }
}

/** Leaves out a breaker that is locked, or not available in time: later deliveries show its health. */
async function tryJudge(db: Database, report: HealthReport, endsAt: number): Promise<void> {
  const { target } = report;
  try {
    if (report.pause > 0) await unlessLocked(setPace(db, report), []);
    const judging = () => unlessLocked(judgeBreaker(db, report), undefined);
    if (await retryWhileUnavailable(endsAt, judging)) return;
    log('WARNING', 'The health of a target was not recorded: its breaker is locked.', { target });
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    const cause = String(error.cause);
    log('WARNING', 'The health of a target was not recorded.', { target, error: cause });
  }
}
