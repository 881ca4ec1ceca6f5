import { formatNumber } from '../../../shared/count-of.ts';
import { listTargetNames } from '../../../shared/delivery/routes.ts';
import { listKnownValues } from '../../../shared/events/known-values.ts';
import {
  countGroups,
  type Group,
  type GroupState,
  groupStates,
} from '../../../shared/groups/error-groups.ts';
import { listIncidents } from '../../../shared/groups/incidents.ts';
import { type GroupOrder, listGroups } from '../../../shared/groups/list-groups.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { sparkline } from '../components/chart.ts';
import { ago } from '../components/format.ts';
import { countColumns, groupCell, groupState, isFinished, noveltyBadge } from '../components/group-cells.ts';
import { linkSwitch, pager } from '../components/links.ts';
import { pageHead, section } from '../components/section.ts';
import { type Column, foldedTable, foldSome } from '../components/table.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { savedViews } from '../views/saved-views.ts';
import { type GroupSearch, groupSearchForm, ownerSwitch, readGroupSearch } from './group-search.ts';
import { incidentSection } from './incident-section.ts';
import { groupCheckboxes, groupSelectionForm } from './triage.ts';

const pageSize = 50;
const maxTypes = 5;

const views = {
  current: { text: 'Unresolved', states: ['OPEN', 'ACKNOWLEDGED', 'REGRESSED'] },
  regressed: { text: 'Regressed', states: ['REGRESSED'] },
  muted: { text: 'Muted', states: ['MUTED'] },
  resolved: { text: 'Resolved', states: ['RESOLVED'] },
  all: { text: 'All', states: groupStates },
} as const satisfies Record<string, { text: string; states: readonly GroupState[] }>;

const orders = {
  size: 'Needs you',
  novelty: 'Regressed and new',
  recent: 'Last seen',
  open: 'Open',
  permanent: 'Permanent',
  failures: 'In 24 h',
  first: 'First seen',
} as const satisfies Record<GroupOrder, string>;

/** The orders without a heading of their own in every width: phones hide most columns. */
const switchedOrders = ['size', 'novelty', 'recent'] as const;

/** What the address of the page says, without the conditions of a search. */
type Asked = {
  readonly view: keyof typeof views;
  readonly order: GroupOrder;
  readonly isAscending: boolean;
  readonly afterKey: string | null;
  readonly afterFingerprint: string | null;
};

/** `GET /groups?view=&order=&dir=&after=`, and the conditions of a search: one page of the error groups. */
export async function groupsPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db, routes } = deps;
  const { now } = context;
  const asked = readAsked(context.query);
  const { view, order, isAscending, afterKey, afterFingerprint } = asked;
  await refreshUnlessReplica(db);
  const search = readGroupSearch(context);
  // A search lists errors one by one, so that none is hidden in an incident.
  const [incidents, counts, known] = await Promise.all([
    view === 'current' && !search.isFiltered ? listIncidents(deps, now) : [],
    countGroups(db, {}),
    listKnownValues(db),
  ]);
  const folded = incidents.flatMap((incident) => incident.groups.map(({ fingerprint }) => fingerprint));
  const position = { until: now, limit: pageSize + 1, afterKey, afterFingerprint };
  const routed = search.target === null ? null : { target: search.target, routes };
  const conditions = { states: views[view].states, ...search.conditions, routed, folded };
  const rows = await listGroups(db, { ...conditions, order, isAscending, ...position });
  const groups = rows.slice(0, pageSize);
  const last = groups.at(-1);
  const links = linksOf(asked, search);
  const next = rows.length > pageSize && last && links.to({ after: `${last.key}~${last.fingerprint}` });
  const list = groupSelectionForm(groupTable(groups, context, sortedBy(asked, links)), context);
  const isEmpty = groups.length === 0 && incidents.length === 0;
  const main = html`${pageHead('Errors', [], switches(asked, search, { links, counts }))}
    ${groupSearchForm(search, { ...known, targets: listTargetNames(routes) }, links.kept)}
    ${await savedViews(deps, context)}
    ${afterKey === null && incidentSection(incidents, context)}
    ${groups.length > 0 && (incidents.length > 0 ? section('Other errors', list) : list)}
    ${isEmpty && (search.isFiltered ? nothingFound(`groups?${new URLSearchParams(links.kept)}`) : noGroups(view))}
    ${pager(next)}`;
  return { title: 'Errors', tab: 'groups', main };
}

function readAsked(query: URLSearchParams): Asked {
  const [, afterKey = null, afterFingerprint = null] =
    /^(-?\d+(?:\.\d+)?)~(.+)$/.exec(query.get('after') ?? '') ?? [];
  return {
    view: pick(views, query.get('view'), 'current'),
    order: pick(orders, query.get('order'), 'size'),
    isAscending: query.get('dir') === 'asc',
    afterKey,
    afterFingerprint,
  };
}

type Links = {
  /** View, order and direction, which a search keeps. */
  readonly kept: Record<string, string>;
  readonly to: (params: Record<string, string>) => string;
};

function linksOf({ view, order, isAscending }: Asked, { terms }: GroupSearch): Links {
  const kept = { view, order, ...(isAscending && { dir: 'asc' }) };
  const to = (params: Record<string, string>) =>
    `groups?${new URLSearchParams(dropEmpty({ ...kept, ...terms, ...params }))}`;
  return { kept, to };
}

type Switches = { readonly links: Links; readonly counts: Awaited<ReturnType<typeof countGroups>> };

function switches(asked: Asked, search: GroupSearch, { links, counts }: Switches): Html {
  const { view, order, isAscending } = asked;
  const views = linkSwitch('State', countViews(search.isFiltered ? undefined : counts), {
    current: view,
    href: (view) => links.to({ view }),
  });
  const byOrder = linkSwitch(
    'Order',
    switchedOrders.map((name) => [name, orders[name]] as const),
    {
      current: isAscending ? undefined : switchedOrders.find((name) => name === order),
      href: (order) => links.to({ order, dir: '' }),
    },
  );
  const byOwner = ownerSwitch(search, (owner) => links.to({ owner: owner === 'all' ? '' : owner }));
  return html`${views}<div class="order">${byOwner}${byOrder}</div>`;
}

type SortedColumn = (
  order: GroupOrder,
  title: string,
  [className, cell]: readonly [className: string, cell: (group: Group) => Content],
) => Column<Group>;

/** A column whose heading sorts the table; the current one turns the direction. */
function sortedBy({ order, isAscending }: Asked, links: Links): SortedColumn {
  return (by, title, [className, cell]) => {
    const isSorted = by === order;
    const dir = isSorted && !isAscending ? 'asc' : '';
    const arrow = isSorted && (isAscending ? ' ↑' : ' ↓');
    const heading = html`<a class="sort" href="${links.to({ order: by, dir })}" title="${title}">${orders[by]}${arrow}</a>`;
    return [heading, className, cell, isSorted ? (isAscending ? 'ascending' : 'descending') : undefined];
  };
}

/** The views with the number of their groups. The counts are of all groups, so that a search shows none. */
function countViews(counts: Awaited<ReturnType<typeof countGroups>> | undefined) {
  const sum = (of: readonly GroupState[]) =>
    counts?.reduce((total, { state, groups }) => total + (of.includes(state) ? groups : 0), 0);
  return (Object.keys(views) as (keyof typeof views)[]).map((name) => {
    const { text, states } = views[name];
    const count = counts && html` <span class="muted">${formatNumber(sum(states) ?? 0)}</span>`;
    return [name, html`${text}${count}`] as const;
  });
}

function dropEmpty(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ''));
}

function groupTable(groups: readonly Group[], { now, caller }: PageContext, sorted: SortedColumn): Html {
  const [[, ...open], [, ...permanent]] = countColumns;
  const wide = 'num wide-only';
  const columns: readonly Column<Group>[] = [
    ...(caller.isOperator ? [groupCheckboxes] : []),
    ['Error', '', (group) => groupCell(group, describe(group))],
    ['State', 'state wide-only', (group) => groupState(group)],
    ['Trend', 'trend wide-only', showTrend],
    sorted('failures', 'Failures in the last 24 hours', [
      wide,
      ({ failuresIn24Hours }) => formatNumber(failuresIn24Hours),
    ]),
    sorted('open', 'Events pending a retry', [open[0], open[1]]),
    sorted('permanent', 'Failed permanently: needs review', [permanent[0], permanent[1]]),
    sorted('first', 'The first failure', [wide, ({ firstSeenAt }) => ago(firstSeenAt, now)]),
    sorted('recent', 'The latest failure', [wide, ({ lastSeenAt }) => ago(lastSeenAt, now)]),
  ];
  const alike = (group: Group) => (isFinished(group) ? 'finished' : group.fingerprint);
  return foldedTable('groups', foldSome(groups, alike), columns);
}

function showTrend({ trend, failuresIn24Hours }: Group): Html {
  return sparkline(trend, `${formatNumber(failuresIn24Hours)} in 24 hours`);
}

function describe({ members, state, novelty, owner, ...group }: Group): Html {
  const { eventTypes: types, eventTypeCount: count } = group;
  const merged = members.length > 1 && ` · ${members.length - 1} merged`;
  const narrowState =
    (state !== 'OPEN' || isFinished(group)) &&
    html`<span class="narrow-only">${groupState({ ...group, state })} · </span>`;
  // The state of a regressed group says so already.
  const badge = noveltyBadge(state === 'REGRESSED' ? null : novelty);
  const named = types.slice(0, maxTypes).map(({ eventType }) => eventType);
  const more = count > named.length && ` and ${count - named.length} more`;
  return html`${narrowState}${badge}${named.join(', ')}${more}${owner && html` · ${owner}`}${merged}`;
}

function nothingFound(all: string): Html {
  return html`<div class="empty"><h2>No error matches</h2><p>Words are looked for in title, causes, first own frame, owner and event types. <a href="${all}">Show all</a></p></div>`;
}

function noGroups(view: keyof typeof views): Html {
  if (view !== 'current')
    return html`<div class="empty"><h2>No errors</h2><p>No error is ${view === 'all' ? 'known yet' : view}.</p></div>`;
  return html`<div class="empty"><h2>No unresolved errors</h2><p>Events that fail for the same reason are grouped here: by error class, by message
    without its numbers and names, and by the top frames of the stack trace.</p></div>`;
}

function pick<Name extends string>(
  names: Readonly<Record<Name, unknown>>,
  requested: string | null,
  fallback: Name,
): Name {
  return requested !== null && Object.hasOwn(names, requested) ? (requested as Name) : fallback;
}
