import { formatNumber } from '../../../shared/count-of.ts';
import { readId } from '../../../shared/events/event-id.ts';
import { listRunEvents, outcomes, type RunEventView } from '../../../shared/replay/list-run-events.ts';
import { linkSwitch, pager } from '../components/links.ts';
import { outcomeMark } from '../components/marks.ts';
import { section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps } from '../page.ts';
import type { ShownRun } from './run-facts.ts';

const pageSize = 50;

/** Failures first. */
const order = ['failed', 'skipped', 'waiting', 'delivered'] as const;
const names = ['all', ...order, 'recurred'] as const;
type Tab = (typeof names)[number];

/**
 * One page of the events of a run: those that failed, unless another tab is chosen or all fit on the page.
 */
export async function runEvents(deps: ConsoleDeps, run: ShownRun, query: URLSearchParams): Promise<Html> {
  const isSmall = run.progress.selected <= pageSize;
  const tab = names.find((each) => each === query.get('outcome')) ?? (isSmall ? 'all' : 'failed');
  const outcome = outcomes.find((each) => each === tab);
  const verdict = tab === 'recurred' ? tab : undefined;
  const after = readId(query.get('after'));
  const rows = await listRunEvents(deps, { runId: run.id, outcome, verdict, after, limit: pageSize + 1 });
  const events = rows.slice(0, pageSize);
  const link = (name: Tab, more = '') => `runs/${run.id}?outcome=${name}${more}#events`;
  const tabs = linkSwitch('Outcome', listTabs(run), { current: tab, href: link });
  const next = rows.length > pageSize && link(tab, `&after=${events.at(-1)?.id}`);
  const ordered =
    tab === 'all' && isSmall
      ? events.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))
      : events;
  const list = events.length === 0 ? html`<p class="muted">${nothing(tab)}</p>` : eventTable(ordered);
  return section('Events', html`${tabs}${list}${pager(next, after !== undefined && link(tab))}`);
}

function listTabs({ progress, verified, state }: ShownRun): [Tab, string][] {
  const counts: [Tab, string, number][] = [
    ['failed', 'Failed', progress.failed],
    ['recurred', 'Recurred', verified.recurred],
    ['waiting', state === 'ended' ? 'Not sent' : 'Waiting', progress.waiting],
    ['skipped', 'Skipped', progress.skipped],
    ['delivered', 'Delivered', progress.delivered],
    ['all', 'All', progress.selected],
  ];
  return counts.map(([name, text, count]) => [name, `${text} ${formatNumber(count)}`]);
}

function nothing(tab: Tab): string {
  return tab === 'failed' ? 'No event failed.' : 'No events.';
}

function eventTable(events: readonly RunEventView[]): Html {
  return table('run-events', events, [
    ['Outcome', 'state', showOutcome],
    ['Event', '', describeEvent],
  ]);
}

function describeEvent({ id, eventType, explanation }: RunEventView): Html {
  return html`<a class="title" href="events/${id}">${eventType ?? 'deleted'}</a> <span class="muted small">${id}</span>
    ${explanation && html`<div class="muted small wrap">${explanation}</div>`}`;
}

function showOutcome({ outcome, verdict, inFlight }: RunEventView): Html {
  if (verdict === 'recurred' || verdict === 'recovered') return outcomeMark(verdict);
  return outcomeMark(outcome === 'waiting' && inFlight ? 'in flight' : outcome);
}
