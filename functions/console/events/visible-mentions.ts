import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { hashIds } from '../../../shared/events/hash-ids.ts';
import { listEvents, showEvents } from '../../../shared/events/list-events.ts';
import { maskOf, maskShownEvent } from '../../../shared/events/masking/mask-shown-event.ts';
import type { ConsoleDeps } from '../page.ts';
import { pageSize } from './read-events.ts';
import type { Place } from './search-places.ts';

const maxBytes = 1_048_576;

/**
 * The latest events that mention an id outside of their masked values, for a viewer; undefined if there are none.
 * Each is read, because the index has the masked values, too.
 */
export async function findVisibleMentions(
  deps: ConsoleDeps,
  { text: words = [], ...others }: Filter,
): Promise<Place | undefined> {
  const [word = ''] = words;
  if (words.length !== 1 || hashIds([word]).length === 0) return undefined;
  const page = { ...firstPosition, max: pageSize };
  const rows = await listEvents(deps.db, { ...others, mention: [word] }, page);
  const ids: string[] = [];
  for (let left = rows.map(({ id }) => id); left.length > 0; ) {
    const shown = await showEvents(deps.db, { ids: left, maxBytes, maxTotal: maxBytes });
    ids.push(...left.slice(0, shown.length).filter((_, i) => mentions(deps, shown[i]?.json ?? null, word)));
    left = left.slice(shown.length);
  }
  return ids.length > 0 ? { by: 'id', filter: { ...others, ids } } : undefined;
}

function mentions(rules: ConsoleDeps, json: string | null, word: string): boolean {
  if (json === null) return false;
  const { bodyBase64: _, ...visible } = JSON.parse(maskShownEvent(json, maskOf(json, rules)));
  return JSON.stringify(visible).toLowerCase().includes(word.toLowerCase());
}
