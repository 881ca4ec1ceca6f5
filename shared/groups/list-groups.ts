import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { toLikePattern } from '../events/filter/list-kinds.ts';
import { escapeLike } from '../events/filter/text-kinds.ts';
import { latestEvent } from '../fingerprint/latest-event.ts';
import type { Origin } from '../message/event.ts';
import { type Group, type GroupState, novelty, readGroups } from './error-groups.ts';

/**
 * By what needs a decision and then by open events, by open or permanently failed ones, failures in 24 hours,
 * novelty, first or latest failure; the highest first.
 */
export const groupOrders = ['size', 'open', 'permanent', 'failures', 'novelty', 'first', 'recent'] as const;
export type GroupOrder = (typeof groupOrders)[number];

/** `key`: the position of the page after this group. */
export type ListedGroup = Group & { readonly key: string };

/** A page of groups. All of `states` are listed that the conditions hold for; null: any. */
export type GroupQuery = {
  readonly states: readonly GroupState[];
  readonly order: GroupOrder;
  /** Whether the lowest or earliest group comes first. */
  readonly isAscending?: boolean;
  /** Now. */
  readonly until: Date;
  readonly limit: number;
  /** Those of the last group of the previous page, or null. */
  readonly afterKey: string | null;
  readonly afterFingerprint: string | null;
  /** Groups that are not listed. */
  readonly folded: readonly string[];
  /** Each is in title, causes, frame, owner or an event type, in upper or lower case. */
  readonly words: readonly string[];
  /** A name; '' for groups without an owner. */
  readonly owner: string | null;
  /** Any of its events has this type. */
  readonly eventType?: string | null;
  readonly novelty?: Group['novelty'];
  /** The consumer group or the subscription at which the latest event failed. */
  readonly consumer?: string | null;
  /** The target to which these routes lead the latest event. */
  readonly routed?: { readonly target: string; readonly routes: readonly Route[] } | null;
};

/** The latest event of a group, by which its consumer and its target are known. */
type Latest = Origin & { readonly sourceSubscription: string | null };

const listPage = statement<
  Required<Omit<GroupQuery, 'isAscending' | 'routed' | 'consumer' | 'eventType'>> & {
    sign: number;
    withOrigin: boolean;
    types: readonly string[] | null;
  },
  Latest & { readonly fingerprint: string; readonly key: string }
>('list-groups', { novelty, latestEvent });

/** Groups whose latest events are looked up at once, to find those of a consumer or a target. */
const maxLookedUp = 200;

/**
 * Lists a page of groups, the highest or latest by `order` first unless `isAscending`. Groups of a consumer
 * or a target are looked up in the order of the list until the page is full.
 */
export async function listGroups(db: Database, query: GroupQuery): Promise<ListedGroup[]> {
  const { isAscending, routed = null, consumer = null, eventType = null, ...conditions } = query;
  const fixed = {
    novelty: null,
    ...conditions,
    words: conditions.words.map((word) => `%${escapeLike(word.toLowerCase())}%`),
    types: eventType === null ? routed && typesOf(routed) : [escapeLike(eventType)],
    sign: isAscending ? -1 : 1,
    withOrigin: routed !== null || consumer !== null,
  };
  const isWanted = (latest: Latest) =>
    (consumer === null || consumer === latest.consumerGroup || consumer === latest.sourceSubscription) &&
    (routed === null || leadsTo(routed.routes, latest) === routed.target);
  const keys = new Map<string, string>();
  let { afterKey, afterFingerprint } = query;
  for (let { limit } = query; ; limit = maxLookedUp) {
    const groups = await listPage(db, { ...fixed, limit, afterKey, afterFingerprint });
    for (const group of groups)
      if (keys.size < query.limit && (!fixed.withOrigin || isWanted(group)))
        keys.set(group.fingerprint, group.key);
    const last = groups.at(-1);
    if (!last || groups.length < limit || keys.size === query.limit) break;
    [afterKey, afterFingerprint] = [last.key, last.fingerprint];
  }
  const found = await readGroups(db, { fingerprints: [...keys.keys()], until: query.until });
  return found.map((group) => ({ ...group, key: keys.get(group.fingerprint) ?? '' }));
}

/** The types of the events that routes lead to a target; null: any. */
function typesOf({ target, routes }: NonNullable<GroupQuery['routed']>): string[] | null {
  const globs = routes
    .filter((route) => nameTarget(route.target) === target)
    .map(({ match }) => match.eventType);
  return globs.every((glob) => glob !== undefined) ? globs.map(toLikePattern) : null;
}

/** The name of the target to which routes lead the events of an origin. */
export function leadsTo(routes: readonly Route[], origin: Origin): string | undefined {
  const route = findRoute(routes, origin);
  return route && nameTarget(route.target);
}

/** Finds groups whose title, causes or frame contain all words, in upper or lower case. */
export const findGroupsByWords = statement<
  { words: readonly string[]; max: number },
  { readonly fingerprint: string }
>('find-groups-by-words');
