import { visit } from 'jsonc-parser';
import { countOf } from '../../../shared/count-of.ts';
import { keyValues } from '../components/facts.ts';
import { hiddenField } from '../components/form.ts';
import { formatBytes } from '../components/format.ts';
import { icon } from '../components/icon.ts';
import { type Content, type Html, html } from '../html.ts';
import { isDeep } from './payload-lines.ts';
import { printPath } from './payload-tree.ts';
import type { MaskedEvent } from './visible-event.ts';

/** Bytes of a payload that are searched. */
export const maxSearched = 4_194_304;

const maxShown = 20;
const maxLength = 200;

/** Where a text was found: the path of a field or the number of a line, and what is there. */
type Hit = { readonly where: string; readonly text: string };

/** The number of all places with a text, and the first 20 of them. */
export type Hits = { readonly count: number; readonly shown: readonly Hit[] };

/** Finds a text in names and values of JSON, or in the lines of any other text, in upper or lower case. */
export function findInPayload(text: string, wanted: string, isJson: boolean): Hits {
  const shown: Hit[] = [];
  let count = 0;
  const needle = wanted.toLowerCase();
  const look = (found: string, where: () => string) => {
    if (!found.toLowerCase().includes(needle)) return;
    if (++count <= maxShown) shown.push({ where: where(), text: found });
  };
  if (!isJson || isDeep(text)) {
    for (const [i, line] of text.split('\n').entries()) look(line, () => `line ${i + 1}`);
    return { count, shown };
  }
  visit(text, {
    onObjectProperty: (name, ...[, , , , path]) => look(name, () => printPath([...path(), name])),
    onLiteralValue: (value, offset, length, ...[, , path]) =>
      look(typeof value === 'string' ? value : text.slice(offset, offset + length), () => printPath(path())),
  });
  return { count, shown };
}

/** A line that finds a text in the payload of an event; its address keeps the view. */
export function findForm(
  event: MaskedEvent,
  { find, view, unmaskId }: { find: string; view: string; unmaskId: string | undefined },
): Html {
  return html`<form class="filter-line find" role="search" action="events/${event.id}#payload">
      ${hiddenField('view', view)}${unmaskId && hiddenField('unmask', unmaskId)}
      <span class="search">${icon('search')}<input type="search" name="find" value="${find}" maxlength="200" aria-label="Find in the payload" placeholder="Find in the payload"></span>
      <button>Find</button></form>`;
}

/** The places with a text in the part of a payload that was searched. */
export function showHits(event: MaskedEvent, find: string): Html {
  const { body, bytes, payloadEncoding } = event;
  const { count, shown } = findInPayload(body.toString('utf8'), find, payloadEncoding === 'json');
  const part = body.length < bytes && ` in the first ${formatBytes(body.length)} of ${formatBytes(bytes)}`;
  const rows = shown.map(({ where, text }) => {
    const name = html`<code>${where}</code> <button type="button" class="link small" data-copy-text="${where}" hidden>Copy</button>`;
    return [name, html`<code>${mark(text, find)}</code>`] as const;
  });
  return html`<p class="hint" role="status">${count === 0 ? 'Not found' : `Found ${countOf(count, 'time')}`}${part}${count > shown.length && `; the first ${shown.length}:`}</p>
    ${rows.length > 0 && keyValues(rows, ' hits')}`;
}

/** The surroundings of the first place of a text, marked. */
function mark(text: string, find: string): Content {
  const at = Math.max(0, text.toLowerCase().indexOf(find.toLowerCase()));
  const from = Math.max(0, at - maxLength / 2);
  const end = at + find.length;
  return html`${from > 0 && '…'}${text.slice(from, at)}<mark>${text.slice(at, end)}</mark>${text.slice(end, from + maxLength)}${from + maxLength < text.length && '…'}`;
}
