import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { log } from '../log.ts';
import { breakerTerms } from './breaker-terms.ts';
import type { HealthReport } from './health-reports.ts';
import { fail, isEmpty, type Work } from './work-state.ts';

const judgeBreaker = statement<HealthReport, never>('judge-breaker', breakerTerms);
const setPace = statement<HealthReport, never>('set-pace', breakerTerms);

/**
 * Reports to the breakers what this worker has seen of targets and causes: all workers obey them. After a
 * settlement, which the pace needs, and apart from it: a locked breaker delays no outcome.
 */
export async function judgeHealth(work: Work): Promise<void> {
  const { health, deps, changes } = work;
  if (work.isJudging) return;
  work.isJudging = true;
  const take = () => health.takeNews(isEmpty({ ...work, isJudging: false }));
  try {
    for (let reports = take(); reports.length > 0; reports = take())
      for (const report of reports) await judge(deps.db, report);
  } catch (error) {
    // Later deliveries show the health of the others.
    if (!(error instanceof DatabaseUnavailableError)) fail(work, error);
    else log('WARNING', 'The health of targets was not recorded.', { error: String(error.cause) });
  } finally {
    work.isJudging = false;
    changes.announce();
  }
}

/** Leaves out a breaker that is locked. Throws DatabaseUnavailableError. */
async function judge(db: Database, report: HealthReport): Promise<void> {
  const { pause, target } = report;
  if (pause > 0) await unlessLocked(setPace(db, report), []);
  if ((await unlessLocked(judgeBreaker(db, report), undefined)) === undefined)
    log('WARNING', 'The health of a target was not recorded: its breaker is locked.', { target });
}
