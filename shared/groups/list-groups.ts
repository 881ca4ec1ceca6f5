import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { toLikePattern } from '../events/filter/list-kinds.ts';
import { escapeLike } from '../events/filter/text-kinds.ts';
import type { Origin } from '../message/event.ts';
import { type Group, type GroupState, latestEvent, novelty, readGroups } from './error-groups.ts';

/**
 * By what needs a decision and then by open events, by open or permanently failed ones, failures in 24
 * clock hours, novelty, first or latest failure; the highest first.
 */
export const groupOrders = ['size', 'open', 'permanent', 'failures', 'novelty', 'first', 'recent'] as const;
export type GroupOrder = (typeof groupOrders)[number];

/** `position`: where the page after this group starts. */
export type ListedGroup = Group & { readonly position: string };

/** A page of groups. All of `states` are listed that the conditions hold for. */
export type GroupQuery = {
  readonly states: readonly GroupState[];
  readonly order: GroupOrder;
  /** Now. */
  readonly until: Date;
  readonly limit: number;
  /** The position of the last group of the previous page. */
  readonly after?: string | undefined;
  /** Groups that are not listed. */
  readonly folded?: readonly string[];
  /** Each is in title, causes, frame, owner or an event type, in upper or lower case. */
  readonly words?: readonly string[];
  /** A name; '' for groups without an owner. */
  readonly owner?: string | undefined;
  /** Any of its events has this type. */
  readonly eventType?: string | undefined;
  readonly novelty?: Group['novelty'] | undefined;
  /** The consumer group or the subscription at which the latest event failed. */
  readonly consumer?: string | undefined;
  /** The target to which these routes lead the latest event. */
  readonly routed?: { readonly target: string; readonly routes: readonly Route[] } | undefined;
};

const listPage = statement<
  ReturnType<typeof toConditions> & {
    limit: number;
    afterKey: string | null;
    afterFingerprint: string | null;
  },
  { readonly fingerprint: string; readonly key: string; readonly origin: Group['origin'] }
>('list-groups', { novelty, latestEvent });

/** The position of a group: the number that the list is sorted by, and its fingerprint. */
export const groupPosition = /^(-?\d{1,20}(?:\.\d{1,20})?(?:e\+\d\d)?|-Infinity)~([^\0]+)$/;

/**
 * Lists a page of groups, the highest or latest by `order` first. Groups of a consumer or a target are looked
 * up in the order of the list until the page is full: ever more at once, as a statement adds up all counts.
 */
export async function listGroups(db: Database, query: GroupQuery): Promise<ListedGroup[]> {
  const { routed, consumer } = query;
  const conditions = toConditions(query);
  const isWanted = (origin: Group['origin']) =>
    (consumer === undefined || [origin?.consumerGroup, origin?.sourceSubscription].includes(consumer)) &&
    (routed === undefined || leadsTo(routed.routes, origin) === routed.target);
  const keys = new Map<string, string>();
  let [, afterKey = null, afterFingerprint = null] = groupPosition.exec(query.after ?? '') ?? [];
  for (let { limit } = query; ; limit *= 4) {
    const groups = await listPage(db, { ...conditions, limit, afterKey, afterFingerprint });
    for (const group of groups)
      if (keys.size < query.limit && isWanted(group.origin)) keys.set(group.fingerprint, group.key);
    const last = groups.at(-1);
    if (!last || groups.length < limit || keys.size === query.limit) break;
    [afterKey, afterFingerprint] = [last.key, last.fingerprint];
  }
  const found = await readGroups(db, { fingerprints: [...keys.keys()], until: query.until });
  return found.map((group) => {
    return { ...group, position: `${keys.get(group.fingerprint)}~${group.fingerprint}` };
  });
}

function toConditions(query: GroupQuery) {
  const { states, order, until, folded = [], words = [], owner = null, novelty = null } = query;
  const { eventType, routed } = query;
  return {
    ...{ states, order, until, folded, owner, novelty },
    words: words.map((word) => `%${escapeLike(word.toLowerCase())}%`),
    types: eventType === undefined ? typesOf(routed) : [escapeLike(eventType)],
  };
}

/** The types of the events that routes lead to a target; null: any. */
function typesOf(routed: GroupQuery['routed']): string[] | null {
  if (!routed) return null;
  const { target, routes } = routed;
  const globs = routes
    .filter((route) => nameTarget(route.target) === target)
    .map(({ match }) => match.eventType);
  return globs.every((glob) => glob !== undefined) ? globs.map(toLikePattern) : null;
}

/** The name of the target to which routes lead the events of an origin. */
export function leadsTo(routes: readonly Route[], origin: Origin | null): string | undefined {
  const route = origin && findRoute(routes, origin);
  return route ? nameTarget(route.target) : undefined;
}

/** Finds groups whose title, causes or frame contain all words, in upper or lower case. */
export const findGroupsByWords = statement<
  { words: readonly string[]; max: number },
  { readonly fingerprint: string; readonly says: string }
>('find-groups-by-words');
