import { readOverview } from '../../../shared/counts/overview.ts';
import { listBreakers } from '../../../shared/delivery/breakers.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { listOpenRuns } from '../../../shared/replay/list-open-runs.ts';
import { listTicks } from '../../../shared/schedule/ticks.ts';
import { flowSection } from '../components/flow-section.ts';
import { readRange } from '../components/range.ts';
import { section } from '../components/section.ts';
import { html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { refreshUnlessReplica } from '../refresh-unless-replica.ts';
import { openRunSection } from './open-run-section.ts';
import { overviewStats } from './overview-stats.ts';
import { scheduleSection, targetSection } from './sidebar.ts';
import { topGroups } from './top-groups.ts';

const maxRuns = 5;

/** `GET /`: failures and their reasons, deliveries, targets and the schedule. */
export async function overview({ db, routes }: ConsoleDeps, { query, now }: PageContext): Promise<Page> {
  const range = readRange(query, now);
  await refreshUnlessReplica(db);
  const [counts, breakers, ticks, runs] = await Promise.all([
    readOverview(db, range),
    listBreakers(db, {}),
    listTicks(db, { before: maxBigint, limit: 6 }),
    listOpenRuns(db, { limit: maxRuns }),
  ]);
  const errors = topGroups(counts.groups, range, now);
  const main = html`<h1 class="visually-hidden">Overview</h1>
    <div id="live" data-live="10">
    ${overviewStats(counts, range, now)}
    <div class="columns">
      <div>${flowSection('.', range, counts.steps)}${section(`Errors in ${range.words}`, errors, html`<a href="groups">All errors</a>`)}</div>
      <div>${openRunSection(runs)}${targetSection(routes, breakers, now)}${scheduleSection(ticks, now)}</div>
    </div></div>`;
  return { title: 'Overview', tab: 'overview', main };
}
