import { readCountedSince } from '../../../shared/counts/sum-steps.ts';
import { listIncidents } from '../../../shared/groups/incidents.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { flowSection } from '../components/flow-section.ts';
import { hourRange, readRange } from '../components/range.ts';
import { incidentLines } from '../groups/incident-section.ts';
import { html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { stopNotice } from '../targets/stop-section.ts';
import { firstSteps } from './first-steps.ts';
import { listProblems, problemSection } from './problems.ts';
import { readProgress } from './read-progress.ts';
import { openRunSection, scheduleSection, targetSection } from './sidebar.ts';
import { overviewStats, readFlow } from './stats.ts';
import { readTopGroups, topErrors } from './top-errors.ts';

/** `GET /`: what needs a person, failures and their reasons, deliveries, targets and the schedule. */
export async function overview(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db, routes } = deps;
  const { query, now } = context;
  await refreshUnlessReplica(db);
  const countedSince = await readCountedSince(db);
  const range = readRange(query, now, countedSince);
  // Deliveries and errors are counted by hour.
  const hours = hourRange(range);
  const [progress, groups, flow, incidents, stopped] = await Promise.all([
    readProgress(deps, now),
    readTopGroups(db, hours, now),
    readFlow(db, range, hours),
    listIncidents(deps, now),
    stopNotice(db, context),
  ]);
  const { depths, targets, ticks, runs } = progress;
  const problems = countedSince && problemSection(listProblems(progress, { ...deps, now }), depths.open);
  const main = html`<h1 class="visually-hidden">Overview</h1>
    <div id="live" data-live="10">
    ${stopped}${problems ?? firstSteps(routes)}
    ${overviewStats(depths, flow, { countedSince, now })}
    <div class="columns">
      <div>${flowSection('.', flow.failed)}${incidentLines(incidents, context)}${topErrors(groups, hours, now)}</div>
      <div>${openRunSection(runs)}${targetSection(targets, now)}${scheduleSection(ticks, progress.forecast, now)}</div>
    </div></div>`;
  return { title: 'Overview', tab: 'overview', main };
}
