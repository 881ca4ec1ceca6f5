import { type PagedRow, printPosition } from '../../../shared/events/filter/page-position.ts';
import type { Origin } from '../../../shared/message/event.ts';
import { type Content, type Html, html } from '../html.ts';
import { icon } from './marks.ts';

type LinkFields = Readonly<Record<string, string | false | null | undefined>>;

/** An address with those of its fields that have a value. */
export function link(path: string, fields: LinkFields): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => !!field[1]);
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

/** The path of the list that is searched: events, or the archive. */
export type SearchScope = 'events' | 'events/archive';

/** The address of a search; with `last`, of the page after that event. */
export function searchLink(text: string, scope: SearchScope = 'events', last?: PagedRow): string {
  return link(scope, { q: text, before: last && printPosition(last) });
}

/** The page of an error group. */
export function groupPath(fingerprint: string): string {
  return `groups/${encodeURIComponent(fingerprint)}`;
}

/** The page of a target. */
export function targetPath(name: string): string {
  return `targets/${encodeURIComponent(name)}`;
}

/** The form for a route that matches an event. */
export function routePath({ eventType, consumerGroup }: Pick<Origin, 'eventType' | 'consumerGroup'>) {
  return link('targets/route', { eventType, consumerGroup });
}

type Variants = readonly (readonly [href: string, text: Content])[];

/** Links to variants of the same page, such as periods; `current` is the address of the shown one. */
export function linkSwitch(label: string, current: string, variants: Variants): Html {
  const links = variants.map(
    ([href, text]) => html`<a href="${href}"${href === current && html` aria-current="true"`}>${text}</a>`,
  );
  return html`<nav class="switch" aria-label="${label}">${links}</nav>`;
}

/** Links to the next and the first page of a list; each is omitted without an address. */
export function pager(next: string | false | undefined, first: string | false = false): Html | false {
  if (!next && !first) return false;
  return html`<nav class="pager" aria-label="Pages of the list">${first && html`<a href="${first}">First page</a>`}${next && html`<a href="${next}" rel="next">Next page</a>`}</nav>`;
}

/** A button that leads to the preview of a replay, by the fields of its form. */
export function replayButton(words: string, fields: LinkFields, more: Content = html`class="button"`): Html {
  return html`<a ${more} href="${link('runs/new', fields)}">${icon('replay')}${words}</a>`;
}

/** The button for the replay of what a page shows, with its key. */
export const mainReplay = html`class="button primary" data-key="r"`;
