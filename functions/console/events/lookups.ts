import { countFromDepths } from '../../../shared/events/count-from-depths.ts';
import { showAll } from '../../../shared/events/export-events.ts';
import { freezeFilter } from '../../../shared/events/filter/filter-condition.ts';
import { isGuessed } from '../../../shared/events/filter/filter-fields.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { isCheap } from '../../../shared/events/filter/run-within-cost.ts';
import { hashIds } from '../../../shared/events/hash-ids.ts';
import { listKnownValues } from '../../../shared/events/known-values.ts';
import { countEvents, listEvents } from '../../../shared/events/list-events.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import { splitMessage } from '../../../shared/fingerprint/normalize-message.ts';
import { findGroupsByWords } from '../../../shared/groups/list-groups.ts';
import { searchLink } from '../components/links.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps } from '../page.ts';
import { pageSize, type Reading, readEvents } from './read-events.ts';
import type { Asked } from './search.ts';

/** One way to find the events of a search: what it finds them by, and the filter that does, also as text. */
export type Lookup = { readonly by: string; readonly filter: Filter; readonly text: string };

function lookUp(by: string, filter: Filter): Lookup {
  return { by, filter, text: printFilterText(filter) };
}

const maxGroups = 20;

/**
 * Finds a page of the events of a search. Bare words, typed without the name of a field, are looked up
 * wherever an index has them, and else read for in each event.
 */
export async function findEvents(asked: Asked): Promise<Found> {
  const { deps, context, filter, text } = asked;
  await guardProbes(deps, context.caller, { filter, isContinued: context.query.has('before') });
  if (!filter.text || /(^|\s)text:/.test(text)) {
    const isRead = context.query.has('found') || isGuessed(filter);
    return { ...(await findPage(asked, { by: '', filter, text })), isRead };
  }
  for await (const lookup of listLookups(asked)) {
    await guardProbes(deps, context.caller, lookup);
    const found = await findPage(asked, lookup);
    if (found.end || found.rows.length > 0) return found;
  }
  const reading = readWords(asked);
  await guardProbes(deps, context.caller, { ...reading, isContinued: true });
  return { ...(await findPage(asked, reading)), isRead: true };
}

/**
 * The lookups of bare words that an index or the counts answer: values that are equal to a word, and errors
 * whose title, causes or frame have the words. The archive has an index of ids only.
 */
async function* listLookups(asked: Asked): AsyncGenerator<Lookup> {
  const { deps, filter, isArchive, canCompare } = asked;
  const { text: words = [], ...others } = filter;
  if (words.length === 1) yield* listEqual(asked);
  if (isArchive) return;
  const groups = await findGroupsByWords(deps.db, { words, max: maxGroups + 1 });
  const fingerprint = groups.filter(({ says }) => areOfAll(words, says)).map((group) => group.fingerprint);
  // Of more groups these are a part.
  if (fingerprint.length > 0 && groups.length <= maxGroups)
    yield lookUp('title and causes of errors', { ...others, fingerprint });
  const ids = canCompare ? [] : await findVisibleMentions(deps, filter);
  if (ids.length > 0) yield lookUp('id', { ...others, ids });
}

/** Whether words are of all events of an error: its title has the ids and numbers of a single one, too. */
function areOfAll(words: readonly string[], says: string): boolean {
  const pieces = splitMessage(says).map(({ text, normal }) => (text === normal ? text.toLowerCase() : ' '));
  return words.every((word) => pieces.join('').includes(word.toLowerCase()));
}

async function* listEqual({ deps: { db }, filter, isArchive, canCompare }: Asked): AsyncGenerator<Lookup> {
  const { text: [word = ''] = [], ...others } = filter;
  const id = canCompare && hashIds([word]).length > 0 ? 'mention' : 'identifier';
  yield lookUp('id', { ...others, [id]: [word] });
  if (isArchive) return;
  if (await countFromDepths(db, { eventType: [word] }))
    yield lookUp('type', { ...others, eventType: [word] });
  const known = await listKnownValues(db);
  for (const [by, field, values] of [
    ['error class', 'errorClass', known.errorClasses],
    ['consumer', 'consumerGroup', known.consumerGroups],
    ['subscription', 'sourceSubscription', known.subscriptions],
  ] as const)
    if (values.includes(word)) yield lookUp(by, { ...others, [field]: [word] });
}

/** The lookup that reads each event for bare words, its headers and payload only if they are not masked. */
export function readWords({ filter, canCompare }: Asked): Lookup {
  const { text: words = [], ...others } = filter;
  return lookUp('words', { ...others, [canCompare ? 'anywhere' : 'text']: words });
}

/** Links to where a search did not look: every event for its words, and the archive. */
export function linkElsewhere({ text, scope }: Asked, reading?: Lookup): Html | false {
  const link = (name: string, href: string) => html`<a class="button small" href="${href}">${name}</a> `;
  const events = reading && link('every event for the words', searchLink(reading.text, scope));
  const archive = scope === 'events' && text && link('the archive', searchLink(text, 'events/archive'));
  if (!events && !archive) return false;
  return html`<nav class="actions" aria-label="Search elsewhere">Look in ${events}${archive}</nav>`;
}

const maxCounted = 10_000;

/** The number of matching events; a lower bound unless `isAll`. */
export type Matches = { readonly events: number; readonly isAll: boolean };

/** A page of the events of a lookup; `isRead`: whether it was read for in each event. */
export type Found = Lookup & Reading & { readonly isRead?: boolean };

async function findPage(asked: Asked, lookup: Lookup): Promise<Found> {
  const { deps, context, isArchive: isArchived, position } = asked;
  if (!isArchived && (await countFromDepths(deps.db, lookup.filter)) === 0) return { ...lookup, rows: [] };
  const filter = freezeFilter(lookup.filter, context.now);
  return { ...lookup, filter, ...(await readEvents(deps, { filter, isArchived, position })) };
}

/** Counts the events of a lookup: exactly by type, status and error group, else up to 10,000 if it is cheap. */
export async function countMatches({ deps, context }: Asked, found: Found): Promise<Matches> {
  const { rows, filter } = found;
  if (rows.length <= pageSize && !context.query.has('before')) return { events: rows.length, isAll: true };
  const exact = await countFromDepths(deps.db, filter);
  if (exact !== undefined) return { events: exact, isAll: true };
  if (!isCheap(await countEvents.explain(deps.db, filter, { max: null }), deps.costLimit))
    return { events: Math.min(rows.length, pageSize), isAll: false };
  const [{ events } = { events: 0 }] = await countEvents(deps.db, filter, { max: maxCounted + 1 });
  return { events: Math.min(events, maxCounted), isAll: events <= maxCounted };
}

/** The ids of the latest events that mention an id outside of masked values, which the index has, too. */
async function findVisibleMentions(deps: ConsoleDeps, filter: Filter): Promise<string[]> {
  const { text: words = [], ...others } = filter;
  const [word = ''] = words;
  if (words.length !== 1 || hashIds([word]).length === 0) return [];
  const page = { ...firstPosition, max: pageSize };
  const rows = await listEvents(deps.db, { ...others, mention: [word] }, page);
  const ids: string[] = [];
  for await (const lines of showAll(deps, rows))
    for (const line of lines.trimEnd().split('\n')) {
      const { bodyBase64: _, ...visible } = JSON.parse(line);
      if (JSON.stringify(visible).toLowerCase().includes(word.toLowerCase())) ids.push(visible.id);
    }
  return ids;
}
