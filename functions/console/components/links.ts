import { type PagedRow, printPosition } from '../../../shared/events/filter/page-position.ts';
import type { Origin } from '../../../shared/message/event.ts';

export type LinkFields = Readonly<Record<string, string | false | null | undefined>>;

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
