import { icon } from '../components/icon.ts';
import { linkSwitch } from '../components/links.ts';
import { type Html, html } from '../html.ts';
import type { PageContext } from '../page.ts';

const owners = { all: 'All owners', mine: 'Mine', none: 'Without owner' } as const;

/** Which groups the list shows, beside their state. */
export type GroupSearch = {
  readonly text: string;
  readonly words: readonly string[];
  readonly ownedBy: keyof typeof owners;
  /** The owner's name, empty for groups without an owner, null for all. */
  readonly owner: string | null;
  readonly isFiltered: boolean;
};

/** Reads `?q=&owner=`. */
export function readGroupSearch({ query, caller }: Pick<PageContext, 'query' | 'caller'>): GroupSearch {
  const text = (query.get('q') ?? '').slice(0, 1000);
  const words = text.split(/\s+/).filter(Boolean);
  const asked = query.get('owner');
  const ownedBy = asked === 'mine' || asked === 'none' ? asked : 'all';
  const owner = { all: null, mine: caller.name, none: '' }[ownedBy];
  return { text, words, ownedBy, owner, isFiltered: words.length > 0 || ownedBy !== 'all' };
}

/** A line for words, with the view and the order of the list kept. */
export function groupSearchForm(
  { text, ownedBy }: GroupSearch,
  { view, order }: Readonly<Record<'view' | 'order', string>>,
): Html {
  return html`<form class="filter-line" role="search" action="groups">
      <input type="hidden" name="view" value="${view}"><input type="hidden" name="order" value="${order}"><input type="hidden" name="owner" value="${ownedBy}">
      <span class="search">${icon('search')}<input type="search" name="q" value="${text}" data-search aria-label="Search errors"
        placeholder="words of the error, its causes, event type or owner" autocomplete="off" spellcheck="false"></span>
      <button>Search</button>
    </form>`;
}

/** All groups, those of the reader, and those without an owner. */
export function ownerSwitch(ownedBy: GroupSearch['ownedBy'], href: (owner: string) => string): Html {
  return linkSwitch('Owner', Object.entries(owners), { current: ownedBy, href });
}
