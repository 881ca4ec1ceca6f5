import { largestId } from '../../../shared/largest-id.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import { flowChart } from '../parts/chart.ts';
import { rangeSwitch, readRange } from '../parts/range.ts';
import { listTicks } from '../parts/ticks.ts';
import { bringUpToDate } from '../parts/up-to-date.ts';
import { listBreakers } from '../targets/breakers.ts';
import type { Visit } from '../visit.ts';
import { figures } from './figures.ts';
import { listOpenRuns, openRunSection } from './open-runs.ts';
import { readOverview } from './read-overview.ts';
import { scheduleSection, targetSection } from './side.ts';
import { topGroups } from './top-groups.ts';

const mostRuns = 5;

/** `GET /`: what failed, why, and how it is getting on, without a click. */
export async function overview({ db, routes }: ConsoleDeps, visit: Visit): Promise<Page> {
  const { now } = visit;
  const range = readRange(visit.query, now);
  await bringUpToDate(db);
  const [known, breakers, ticks, runs] = await Promise.all([
    readOverview(db, range),
    listBreakers(db, {}),
    listTicks(db, { before: largestId, limit: 6 }),
    listOpenRuns(db, { limit: mostRuns }),
  ]);
  const main = html`<h1 class="unseen">Overview</h1>
    <div id="live" data-live="10">
    ${figures(known, range, now)}
    <div class="columns">
      <div>
        <section aria-labelledby="flow"><div class="section-head"><h2 id="flow">Failed <i class="swatch in"></i> and delivered <i class="swatch out"></i></h2>${rangeSwitch('.', range)}</div>
          ${flowChart(range, known.steps)}</section>
        <section aria-labelledby="why"><div class="section-head"><h2 id="why">Why, in ${range.words}</h2><a href="groups">All errors</a></div>
          ${topGroups(known.groups, range, now)}</section>
      </div>
      <div>${openRunSection(runs)}${targetSection(routes, breakers, now)}${scheduleSection(ticks, now)}</div>
    </div></div>`;
  return { title: 'Overview', tab: 'overview', main };
}
