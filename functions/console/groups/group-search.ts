import type { KnownValues } from '../../../shared/events/known-values.ts';
import { novelties } from '../../../shared/groups/error-groups.ts';
import type { GroupOrder, GroupQuery } from '../../../shared/groups/list-groups.ts';
import { hiddenField, searchInput, selectField } from '../components/form.ts';
import { collapsible } from '../components/section.ts';
import { shortenTarget } from '../components/target-state.ts';
import { type Html, html } from '../html.ts';
import type { PageContext } from '../page.ts';

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

/** The order of the groups and the conditions on them, beside their state; empty: none. */
export type GroupSearch = Readonly<Record<(typeof fields)[number], string>>;

/** Reads `?q=&order=&owner=&type=&consumer=&target=&novelty=`. */
export function readGroupSearch(query: URLSearchParams): GroupSearch {
  const read = fields.map((name) => [name, (query.get(name) ?? '').trim().slice(0, 1000)]);
  return Object.fromEntries(read);
}

/** Whether a search has conditions. */
export function isFiltered({ order: _, ...conditions }: GroupSearch): boolean {
  return Object.values(conditions).some(Boolean);
}

/** The conditions of a search for a user. What has no meaning is no condition. */
export function conditionsOf({ q, order, owner, ...search }: GroupSearch, { caller }: PageContext) {
  return {
    words: q.split(/\s+/).filter(Boolean),
    order: Object.hasOwn(orders, order) ? (order as GroupOrder) : 'size',
    owner: owner === 'mine' ? caller.name : owner === 'none' ? '' : null,
    eventType: search.type || null,
    novelty: novelties.find((each) => each === search.novelty) ?? null,
    consumer: search.consumer || null,
  } satisfies Partial<GroupQuery>;
}

type Choices = KnownValues & { readonly targets: readonly string[] };

/** A line for words and a form for all else, with the view of the list kept. */
export function groupSearchForm(search: GroupSearch, known: Choices, view: string): Html {
  const same = (names: readonly string[]) => names.map((name) => [name, name] as const);
  const consumers = [...known.consumerGroups, ...known.subscriptions];
  const options = {
    order: ['Order', Object.entries(orders)],
    owner: [
      'Owner',
      [
        ['', 'any'],
        ['mine', 'me'],
        ['none', 'nobody'],
      ],
    ],
    type: ['Event type', [['', 'any'], ...same(known.eventTypes)]],
    consumer: [
      'Consumer',
      [['', 'any'], ...consumers.map((name) => [name, name.split('/').at(-1) || name] as const)],
    ],
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
      ${collapsible('Order and filter', html`<div class="filter-form">${selects}<button>Show</button></div>`, isOpen)}
    </form>`;
}
