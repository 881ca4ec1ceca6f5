import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { NotFoundError } from '../errors.ts';
import { toLikePattern } from '../events/filter/list-kinds.ts';
import { escapeLike } from '../events/filter/text-kinds.ts';
import { latestEvent } from '../fingerprint/latest-event.ts';
import type { Origin } from '../message/event.ts';

/** REGRESSED is set without an operator: a RESOLVED group failed again. */
export const groupStates = ['OPEN', 'ACKNOWLEDGED', 'MUTED', 'RESOLVED', 'REGRESSED'] as const;
export type GroupState = (typeof groupStates)[number];

/**
 * By what needs a decision and then by open events, by open or permanently failed ones, failures in 24 hours,
 * novelty, first or latest failure; the highest first.
 */
export const groupOrders = ['size', 'open', 'permanent', 'failures', 'novelty', 'first', 'recent'] as const;
export type GroupOrder = (typeof groupOrders)[number];

type ErrorGroup = {
  readonly fingerprint: string;
  /** The fingerprints of its events: its own, and those of the groups merged into it. */
  readonly members: readonly string[];
  readonly state: GroupState;
  /** Class and message of the latest event. Null until the next refresh. */
  readonly title: string | null;
  /** Class and message of each cause, the root cause last. */
  readonly causes: readonly string[];
  /** The topmost frame of the application. */
  readonly frame: string | null;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  readonly owner: string | null;
  /** Captures and recurrences since the first; all other counts are events. */
  readonly failures: number;
};

/** A group with its counts. */
export type Group = ErrorGroup & {
  readonly open: number;
  readonly failedPermanently: number;
  /** The five types with most events; `eventTypeCount` is the number of all. */
  readonly eventTypes: readonly string[];
  readonly eventTypeCount: number;
  readonly failuresIn24Hours: number;
  /** Failures in each of the last 24 hours, the current one last. */
  readonly trend: readonly number[];
  readonly novelty: (typeof novelties)[number] | null;
};

/** `key`: the position of the page after this group. */
export type ListedGroup = Group & { readonly key: string };

export type FoundGroup = ErrorGroup & {
  readonly sampleEventId: string | null;
  readonly note: string | null;
  readonly mutedUntil: Date | null;
  readonly eventTypes: readonly {
    readonly eventType: string;
    readonly open: number;
    readonly failedPermanently: number;
  }[];
  /** Consumers of the latest 500 events. */
  readonly consumers: readonly { readonly name: string; readonly events: number }[];
};

export type GroupAction = {
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly reason: string | null;
  readonly details: Readonly<Record<string, unknown>>;
};

export const novelties = ['regressed', 'new', 'growing'] as const;

/** A page of groups. All of `states` are listed that the optional conditions hold for. */
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
  readonly novelty?: ListedGroup['novelty'];
  /** The consumer group or the subscription at which the latest event failed. */
  readonly consumer?: string | null;
  /** The target to which these routes lead the latest event. */
  readonly routed?: { readonly target: string; readonly routes: readonly Route[] } | null;
};

/**
 * The novelty of a group in SQL. At least 10 failures in the last 3 hours, and more than twice the rate of
 * the 21 before, are growth.
 */
export const novelty = `case
  when state = 'REGRESSED' then 'regressed'
  when whole.first_seen_at > :until::timestamptz - interval '24 hours' then 'new'
  when late >= 10 and late > 2 * (daily_failures - late) / 7 then 'growing'
end`;

type GroupKey = { readonly fingerprint: string; readonly key: string };

const listPage = statement<
  Required<Omit<GroupQuery, 'isAscending' | 'routed' | 'consumer' | 'eventType'>> & {
    sign: number;
    withOrigin: boolean;
    types: readonly string[] | null;
  },
  GroupKey & Origin & { readonly sourceSubscription: string | null }
>('list-groups', import.meta.url, { novelty, latestEvent });

type ReadGroup = Omit<Group, 'trend'> & { readonly hoursAgo: Readonly<Record<string, number>> };

const readListed = statement<{ fingerprints: readonly string[]; until: Date }, ReadGroup>(
  'read-groups',
  import.meta.url,
  { novelty, latestEvent },
);

/** Lists a page of groups, the highest or latest by `order` first unless `isAscending`. */
export async function listGroups(db: Database, query: GroupQuery): Promise<ListedGroup[]> {
  const page = await findPage(db, query);
  const keys = new Map(page.map(({ fingerprint, key }) => [fingerprint, key]));
  const groups = await readGroups(db, [...keys.keys()], query.until);
  return groups.map((group) => ({ ...group, key: keys.get(group.fingerprint) ?? '' }));
}

/** Groups whose latest events are looked up at once, to find those of a consumer or a target. */
const maxLookedUp = 200;

/**
 * Consumer and target are those of the latest event: groups are looked up in the order of the list until the
 * page is full.
 */
async function findPage(db: Database, query: GroupQuery): Promise<GroupKey[]> {
  const { isAscending = false, routed = null, consumer = null, eventType = null, ...conditions } = query;
  const withOrigin = routed !== null || consumer !== null;
  const words = conditions.words.map(toPattern);
  const order = { sign: isAscending ? -1 : 1, withOrigin };
  const types = eventType === null ? routed && typesOf(routed) : [escapeLike(eventType)];
  const fixed = { novelty: null, ...conditions, words, types, ...order };
  const isWanted = (group: Origin & { readonly sourceSubscription: string | null }) =>
    (consumer === null || consumer === group.consumerGroup || consumer === group.sourceSubscription) &&
    (routed === null || leadsTo(routed.routes, group) === routed.target);
  const found: GroupKey[] = [];
  let { afterKey, afterFingerprint } = query;
  for (let limit = query.limit; ; limit = maxLookedUp) {
    const groups = await listPage(db, { ...fixed, limit, afterKey, afterFingerprint });
    found.push(...(withOrigin ? groups.filter(isWanted) : groups));
    const last = groups.at(-1);
    if (!last || groups.length < limit || found.length >= query.limit) return found.slice(0, query.limit);
    [afterKey, afterFingerprint] = [last.key, last.fingerprint];
  }
}

/** A pattern of LIKE for texts in lower case that contain a word. */
function toPattern(word: string): string {
  return `%${word.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** The types of the events that routes lead to a target; null: any. */
function typesOf({ target, routes }: NonNullable<GroupQuery['routed']>): string[] | null {
  const globs = routes
    .filter((route) => nameTarget(route.target) === target)
    .map(({ match }) => match.eventType);
  return globs.every((glob) => glob !== undefined) ? globs.map(toLikePattern) : null;
}

function leadsTo(routes: readonly Route[], group: Origin): string | undefined {
  const route = findRoute(routes, group);
  return route && nameTarget(route.target);
}

/**
 * Reads groups with what is counted of them. Omits those that do not exist, such as those that were merged
 * meanwhile.
 */
export async function readGroups(
  db: Database,
  fingerprints: readonly string[],
  until: Date,
): Promise<Group[]> {
  const rows = fingerprints.length === 0 ? [] : await readListed(db, { fingerprints, until });
  return rows.map(({ hoursAgo, ...group }) => {
    return { ...group, trend: Array.from({ length: 24 }, (_, i) => hoursAgo[23 - i] ?? 0) };
  });
}

export const countGroups = statement<
  Record<string, never>,
  { readonly state: GroupState; readonly groups: number }
>('count-groups', import.meta.url);

/** Finds a group, or the one that it is merged into. Returns no row if no event has the fingerprint. */
export const findGroup = statement<{ fingerprint: string }, FoundGroup>('find-group', import.meta.url, {
  latestEvent,
});

/** Finds groups whose title, causes or frame contain all words, in upper or lower case. */
export const findGroupsByWords = statement<
  { words: readonly string[]; max: number },
  { readonly fingerprint: string }
>('find-groups-by-words', import.meta.url);

export const listGroupActions = statement<{ fingerprint: string }, GroupAction>(
  'list-group-actions',
  import.meta.url,
);

/** Finds a group, or the one that it is merged into. Throws NotFoundError. */
export async function requireGroup(db: Database, fingerprint: string): Promise<FoundGroup> {
  const [group] = await findGroup(db, { fingerprint });
  if (group) return group;
  throw new NotFoundError(`There is no error group ${fingerprint.slice(0, 80)}.`);
}
