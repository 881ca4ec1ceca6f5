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
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { sparkline } from '../components/chart.ts';
import { ago } from '../components/format.ts';
import {
  countColumns,
  groupCell,
  groupState,
  isFinished,
  nameTypes,
  noveltyBadge,
} from '../components/group-cells.ts';
import { linkSwitch, pager } from '../components/links.ts';
import { emptyState, pageHead, section } from '../components/section.ts';
import { type Column, foldedTable, foldSome } from '../components/table.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { savedViews } from '../views/saved-views.ts';
import { conditionsOf, groupSearchForm, isFiltered, readGroupSearch } from './group-search.ts';
import { incidentSection } from './incident-section.ts';
import { groupCheckboxes, groupSelectionForm } from './triage.ts';

const pageSize = 50;

const views = {
  current: { text: 'Unresolved', states: ['OPEN', 'ACKNOWLEDGED', 'REGRESSED'] },
  regressed: { text: 'Regressed', states: ['REGRESSED'] },
  muted: { text: 'Muted', states: ['MUTED'] },
  resolved: { text: 'Resolved', states: ['RESOLVED'] },
  all: { text: 'All', states: groupStates },
} as const satisfies Record<string, { text: string; states: readonly GroupState[] }>;

type View = keyof typeof views;

/** `GET /groups?view=&after=`, and the order and conditions of a search: one page of the error groups. */
export async function groupsPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db, routes } = deps;
  const { now, query } = context;
  const asked = query.get('view') ?? '';
  const view = Object.hasOwn(views, asked) ? (asked as View) : 'current';
  const search = readGroupSearch(query);
  const link = (more: Readonly<Record<string, string>>) => {
    const terms = Object.entries({ ...search, view, ...more }).filter(([, value]) => value !== '');
    return `groups?${new URLSearchParams(terms)}`;
  };
  await refreshUnlessReplica(db);
  // A search lists errors one by one, so that none is hidden in an incident.
  const isSearch = isFiltered(search);
  const incidents = view === 'current' && !isSearch ? await listIncidents(deps, now) : [];
  const folded = incidents.flatMap(({ groups }) => groups.map(({ fingerprint }) => fingerprint));
  const position = readPosition(query);
  const routed = search.target === '' ? null : { target: search.target, routes };
  const conditions = { states: views[view].states, ...conditionsOf(search, context), routed, folded };
  const rows = await listGroups(db, { ...conditions, ...position, until: now, limit: pageSize + 1 });
  const groups = rows.slice(0, pageSize);
  const last = rows.length > pageSize && groups.at(-1);
  const counts = countViews(isSearch ? undefined : await countGroups(db, {}));
  const tabs = linkSwitch('State', counts, { current: view, href: (name) => link({ view: name }) });
  const known = { ...(await listKnownValues(db)), targets: listTargetNames(routes) };
  const list = groupSelectionForm(groupTable(groups, context), context);
  const empty = isSearch ? nothingFound(`groups?view=${view}`) : noGroups(view);
  const main = html`${pageHead('Errors', [], tabs)}
    ${groupSearchForm(search, known, view)}
    ${await savedViews(deps, context)}
    ${position.afterKey === null && incidentSection(incidents, context)}
    ${groups.length > 0 && (incidents.length > 0 ? section('Other errors', list) : list)}
    ${groups.length + incidents.length === 0 && empty}
    ${pager(last && link({ after: `${last.key}~${last.fingerprint}` }))}`;
  return { title: 'Errors', tab: 'groups', main };
}

/** The last group of the page before, in `?after=`. */
function readPosition(query: URLSearchParams) {
  const [, afterKey = null, afterFingerprint = null] =
    /^(-?\d+(?:\.\d+)?)~(.+)$/.exec(query.get('after') ?? '') ?? [];
  return { afterKey, afterFingerprint };
}

/** The views with the number of their groups. The counts are of all groups, so that a search shows none. */
function countViews(counts: Awaited<ReturnType<typeof countGroups>> | undefined) {
  return Object.entries(views).map(([name, { text, states }]) => {
    const own = counts?.filter(({ state }) => (states as readonly GroupState[]).includes(state));
    const sum = own?.reduce((total, { groups }) => total + groups, 0);
    return [
      name as View,
      html`${text}${sum !== undefined && html` <span class="muted">${formatNumber(sum)}</span>`}`,
    ] as const;
  });
}

function groupTable(groups: readonly Group[], { caller }: PageContext): Html {
  const columns: readonly Column<Group>[] = [
    ...(caller.isOperator ? [groupCheckboxes] : []),
    ['Error', '', (group) => groupCell(group, describe(group))],
    ['State', 'state wide-only', groupState],
    [
      'Trend',
      'trend wide-only',
      ({ trend, failuresIn24Hours: sum }) => sparkline(trend, `${formatNumber(sum)} in 24 hours`),
    ],
    ['In 24 h', 'num wide-only', ({ failuresIn24Hours }) => formatNumber(failuresIn24Hours)],
    ...countColumns,
    ['First seen', 'num wide-only', ({ firstSeenAt }) => ago(firstSeenAt)],
    ['Last seen', 'num wide-only', ({ lastSeenAt }) => ago(lastSeenAt)],
  ];
  const alike = (group: Group) => (isFinished(group) ? 'finished' : group.fingerprint);
  return foldedTable('groups', foldSome(groups, alike), columns);
}

function describe(group: Group): Html {
  const { members, state, owner } = group;
  const hasState = state !== 'OPEN' || isFinished(group);
  const narrowState = hasState && html`<span class="narrow-only">${groupState(group)} · </span>`;
  const merged = members.length > 1 && ` · ${members.length - 1} merged`;
  return html`${narrowState}${noveltyBadge(group)}${nameTypes(group)}${owner && html` · ${owner}`}${merged}`;
}

function nothingFound(all: string): Html {
  const where = 'Words are looked for in title, causes, first own frame, owner and event types.';
  return emptyState('No error matches', html`<p>${where} <a href="${all}">Show all</a></p>`);
}

function noGroups(view: View): Html {
  const which = view === 'all' ? '' : ` ${views[view].text.toLowerCase()}`;
  return emptyState(
    `No${which} errors`,
    html`<p>Events that fail for the same reason are grouped here: by error class, by message
      without its numbers and names, and by the top frames of the stack trace.</p>`,
  );
}
