import { formatNumber } from '../../../shared/count-of.ts';
import { listTargetNames } from '../../../shared/delivery/routes.ts';
import { type KnownValues, listKnownValues } from '../../../shared/events/known-values.ts';
import {
  countGroups,
  type Group,
  type GroupState,
  groupStates,
  novelties,
  unresolved,
} from '../../../shared/groups/error-groups.ts';
import { listIncidents } from '../../../shared/groups/incidents.ts';
import {
  type GroupOrder,
  type GroupQuery,
  groupPosition,
  listGroups,
} from '../../../shared/groups/list-groups.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { groupColumns, isFinished } from '../components/error-name.ts';
import { hiddenField, searchInput, selectField } from '../components/form.ts';
import { link, linkSwitch, pager } from '../components/links.ts';
import { collapsible, emptyState, pageHead, section } from '../components/section.ts';
import { type Column, foldAlike, foldedTable } from '../components/table.ts';
import { shortenTarget } from '../components/target-state.ts';
import { savedViews } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { groupCheckboxes, groupSelectionForm, incidentSection } from './triage.ts';

const pageSize = 50;

const views = {
  current: { text: 'Unresolved', states: unresolved },
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
  const linkTo = (more: Readonly<Record<string, string>>) => link('groups', { ...search, view, ...more });
  await refreshUnlessReplica(db);
  // A search lists errors one by one, so that none is hidden in an incident.
  const isSearch = fields.some((name) => name !== 'order' && search[name] !== '');
  const incidents = view === 'current' && !isSearch ? await listIncidents(deps, now) : [];
  const folded = incidents.flatMap(({ groups }) => groups.map(({ fingerprint }) => fingerprint));
  const after = query.get('after') ?? undefined;
  const routed = search.target === '' ? undefined : { target: search.target, routes };
  const conditions = { states: views[view].states, ...conditionsOf(search, context), routed, folded };
  const rows = await listGroups(db, { ...conditions, after, until: now, limit: pageSize + 1 });
  const groups = rows.slice(0, pageSize);
  const last = rows.length > pageSize && groups.at(-1);
  const counts = countViews(isSearch ? undefined : await countGroups(db, {}));
  const tabs = counts.map(([name, text]) => [linkTo({ view: name }), text] as const);
  const known = { ...(await listKnownValues(db)), targets: listTargetNames(routes) };
  const list = groupSelectionForm(groupTable(groups, context), context);
  const main = html`${pageHead('Errors', [], linkSwitch('State', linkTo({}), tabs))}
    ${groupSearchForm(search, known, view)}
    ${await savedViews(deps, context)}
    ${!groupPosition.test(after ?? '') && incidentSection(incidents, context)}
    ${groups.length > 0 && (incidents.length > 0 ? section('Other errors', list) : list)}
    ${groups.length + incidents.length === 0 && noGroups(view, isSearch)}
    ${pager(last && linkTo({ after: last.position }))}`;
  return { title: 'Errors', main };
}

/** The views with the number of their groups. The counts are of all groups, so that a search shows none. */
function countViews(counts: Awaited<ReturnType<typeof countGroups>> | undefined) {
  return Object.entries(views).map(([name, { text, states }]) => {
    const own = counts?.filter(({ state }) => (states as readonly GroupState[]).includes(state));
    const sum = own?.reduce((total, { groups }) => total + groups, 0);
    const words = html`${text}${sum !== undefined && html` <span class="muted">${formatNumber(sum)}</span>`}`;
    return [name, words] as const;
  });
}

function groupTable(groups: readonly Group[], { caller }: PageContext): Html {
  const inOneDay = ({ failuresIn24Hours }: Group) => formatNumber(failuresIn24Hours);
  const columns: readonly Column<Group>[] = [
    ...(caller.isOperator ? [groupCheckboxes] : []),
    ...groupColumns<Group>(['In 24 h', 'num wide-only', inOneDay]),
  ];
  const alike = (group: Group) => (isFinished(group) ? 'finished' : group.fingerprint);
  return foldedTable('groups', foldAlike(groups, alike), columns);
}

function noGroups(view: View, isSearch: boolean): Html {
  const where = html`Words are looked for in title, causes, first own frame, owner and event types. <a href="groups?view=${view}">Show all</a>`;
  const which = view === 'all' ? '' : ` ${views[view].text.toLowerCase()}`;
  const what = `Events that fail for the same reason are grouped here: by error class, by message
      without its numbers and names, and by the top frames of the stack trace.`;
  return emptyState(
    isSearch ? 'No error matches' : `No${which} errors`,
    html`<p>${isSearch ? where : what}</p>`,
  );
}

const orders = {
  size: 'Needs you',
  novelty: 'Regressed and new',
  recent: 'Last seen',
  open: 'Open',
  permanent: 'Permanent',
  failures: 'In 24 h',
  first: 'First seen',
} as const satisfies Record<GroupOrder, string>;

const fields = ['q', 'order', 'owner', 'type', 'consumer', 'target', 'novelty'] as const;

type GroupSearch = Readonly<Record<(typeof fields)[number], string>>;

function readGroupSearch(query: URLSearchParams): GroupSearch {
  const read = fields.map((name) => [name, (query.get(name) ?? '').trim().slice(0, 1000)]);
  return Object.fromEntries(read);
}

function conditionsOf({ q, order, owner, ...search }: GroupSearch, { caller }: PageContext) {
  return {
    words: q.split(/\s+/).filter(Boolean),
    order: Object.hasOwn(orders, order) ? (order as GroupOrder) : 'size',
    owner: owner === 'mine' ? caller.name : owner === 'none' ? '' : undefined,
    eventType: search.type || undefined,
    novelty: novelties.find((each) => each === search.novelty),
    consumer: search.consumer || undefined,
  } satisfies Partial<GroupQuery>;
}

const nameEnd = (name: string) => name.split('/').at(-1) || name;
const owners = Object.entries({ '': 'any', mine: 'me', none: 'nobody' });

type Choices = KnownValues & { readonly targets: readonly string[] };

function groupSearchForm(search: GroupSearch, known: Choices, view: string): Html {
  const same = (names: readonly string[]) => names.map((name) => [name, name] as const);
  const consumers = [...known.consumerGroups, ...known.subscriptions];
  const options = {
    order: ['Order', Object.entries(orders)],
    owner: ['Owner', owners],
    type: ['Event type', [['', 'any'], ...same(known.eventTypes)]],
    consumer: ['Consumer', [['', 'any'], ...consumers.map((name) => [name, nameEnd(name)] as const)]],
    target: ['Target', [['', 'any'], ...known.targets.map((name) => [name, shortenTarget(name)] as const)]],
    novelty: ['Novelty', [['', 'any'], ...same(novelties)]],
  } as const;
  const selects = Object.entries(options).map(([name, [label, listed]]) => {
    const value = search[name as keyof typeof options];
    // A value that is not known any more stays selected.
    const isKnown = value === '' || listed.some(([each]) => each === value);
    return selectField({ name, label, value, options: isKnown ? listed : [...listed, [value, value]] });
  });
  const isOpen = Object.keys(options).some((name) => search[name as keyof typeof options] !== '');
  const placeholder = 'words of the error, its causes, event type or owner';
  return html`<form role="search" aria-label="Errors" action="groups">${hiddenField('view', view)}
      <div class="filter-line">${searchInput('errors', { value: search.q, placeholder })}<button>Search</button></div>
      ${collapsible('Order and filter', html`<div class="actions">${selects}<button>Show</button></div>`, isOpen)}
    </form>`;
}
