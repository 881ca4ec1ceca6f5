import { toStorableText } from '../../../shared/database/storable-text.ts';
import type { KnownValues } from '../../../shared/events/known-values.ts';
import { novelties } from '../../../shared/groups/error-groups.ts';
import type { GroupQuery } from '../../../shared/groups/list-groups.ts';
import { hiddenField, selectField } from '../components/form.ts';
import { icon } from '../components/icon.ts';
import { linkSwitch } from '../components/links.ts';
import { collapsible } from '../components/section.ts';
import { shortenTarget } from '../components/target-state.ts';
import { type Html, html } from '../html.ts';
import type { PageContext } from '../page.ts';

const owners = { all: 'All owners', mine: 'Mine', none: 'Without owner' } as const;

/** The conditions on groups beside their state, as the address of the list has them; empty: none. */
type Terms = Readonly<Record<'q' | 'owner' | 'type' | 'consumer' | 'target' | 'novelty', string>>;

/** The groups of the list, beside their state. */
export type GroupSearch = {
  readonly terms: Terms;
  readonly conditions: Pick<GroupQuery, 'words' | 'owner' | 'eventType' | 'novelty' | 'consumer'>;
  readonly target: string | null;
  readonly isFiltered: boolean;
};

/** Reads `?q=&owner=&type=&consumer=&target=&novelty=`. */
export function readGroupSearch({ query, caller }: Pick<PageContext, 'query' | 'caller'>): GroupSearch {
  const read = (name: keyof Terms) => toStorableText((query.get(name) ?? '').trim().slice(0, 1000));
  const [q, type, consumer, target] = [read('q'), read('type'), read('consumer'), read('target')];
  const owner = read('owner');
  const ownedBy = owner === 'mine' || owner === 'none' ? owner : 'all';
  const novelty = novelties.find((each) => each === read('novelty'));
  const terms = {
    q,
    owner: ownedBy === 'all' ? '' : ownedBy,
    type,
    consumer,
    target,
    novelty: novelty ?? '',
  };
  const conditions = {
    words: q.split(/\s+/).filter(Boolean),
    owner: { all: null, mine: caller.name, none: '' }[ownedBy],
    eventType: type || null,
    novelty: novelty ?? null,
    consumer: consumer || null,
  };
  const isFiltered = ownedBy !== 'all' || [q, type, consumer, target, novelty].some(Boolean);
  return { terms, conditions, target: target || null, isFiltered };
}

type Choices = KnownValues & { readonly targets: readonly string[] };

/** A line for words and a form for the other conditions, with the view and the order of the list kept. */
export function groupSearchForm(
  { terms }: GroupSearch,
  { eventTypes, consumerGroups, subscriptions, targets }: Choices,
  kept: Readonly<Record<string, string>>,
): Html {
  const consumers = [...consumerGroups, ...subscriptions].map((name) => [name, shortenPath(name)] as const);
  const fields = html`<div class="filter-form">
      ${choice('type', 'Event type', { value: terms.type, known: eventTypes.map((type) => [type, type]) })}
      ${choice('consumer', 'Consumer', { value: terms.consumer, known: consumers })}
      ${choice('target', 'Target', { value: terms.target, known: targets.map((name) => [name, shortenTarget(name)]) })}
      ${choice('novelty', 'Novelty', { value: terms.novelty, known: novelties.map((each) => [each, each]) })}
      <button>Search</button></div>`;
  const isOpen = [terms.type, terms.consumer, terms.target, terms.novelty].some(Boolean);
  return html`<form role="search" aria-label="Errors" action="groups">
      ${Object.entries({ ...kept, owner: terms.owner }).map(([name, value]) => hiddenField(name, value))}
      <div class="filter-line"><span class="search">${icon('search')}<input type="search" name="q" value="${terms.q}" data-search aria-label="Search errors"
        placeholder="words of the error, its causes, event type or owner" autocomplete="off" spellcheck="false"></span>
      <button>Search</button></div>
      ${collapsible('Filter by form', fields, isOpen)}
    </form>`;
}

type Known = { readonly value: string; readonly known: readonly (readonly [value: string, text: string])[] };

/** A value that is not known any more stays selected. */
function choice(name: keyof Terms, label: string, { value, known }: Known): Html {
  const isKnown = value === '' || known.some(([each]) => each === value);
  const options = [['', 'any'] as const, ...known, ...(isKnown ? [] : [[value, value] as const])];
  return selectField({ name, label, value, options });
}

/** `projects/demo/subscriptions/payments` as `payments`. */
function shortenPath(name: string): string {
  return name.split('/').at(-1) || name;
}

/** All groups, those of the reader, and those without an owner. */
export function ownerSwitch({ terms }: GroupSearch, href: (owner: string) => string): Html {
  return linkSwitch<string>('Owner', Object.entries(owners), { current: terms.owner || 'all', href });
}
