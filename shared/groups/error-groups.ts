import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { NotFoundError } from '../errors.ts';
import { AuditEntrySchema, listAudit } from '../events/audit.ts';
import { maxBigint } from '../events/event-id.ts';
import type { MaskRules } from '../events/masking/mask-rules.ts';
import { type Failure, type Naming, nameFailure, notReported } from '../fingerprint/fingerprint.ts';
import { crowdPrefix } from '../fingerprint/new-reasons.ts';
import { count, described, listOf, text, textOrNull, time, timeOrNull } from '../response-values.ts';

/** REGRESSED is set without an operator: a RESOLVED group failed again. */
export const groupStates = ['OPEN', 'ACKNOWLEDGED', 'MUTED', 'RESOLVED', 'REGRESSED'] as const;
export type GroupState = (typeof groupStates)[number];

/** The states in which a group waits for a decision. */
export const unresolved = ['OPEN', 'ACKNOWLEDGED', 'REGRESSED'] as const;

export const novelties = ['regressed', 'new', 'growing'] as const;

/**
 * The novelty of a group in SQL. At least 10 failures in the last 3 hours, and more than twice the rate of
 * the 21 before, are growth.
 */
export const novelty = `case
  when state = 'REGRESSED' then 'regressed'
  when whole.first_seen_at > :until::timestamptz - interval '24 hours' then 'new'
  when late >= 10 and late > 2 * (daily_failures - late) / 7 then 'growing'
end`;

/** Where an event came from, which selects its route. */
const OriginSchema = v.strictObject({
  eventType: text,
  sourceKind: text,
  sourceTopic: textOrNull,
  sourceSubscription: textOrNull,
  consumerGroup: textOrNull,
});

/** An error group as `read-groups.sql` returns it. */
export const GroupSchema = v.strictObject({
  fingerprint: text,
  members: described(
    listOf(text),
    'The fingerprints of its events, for a filter: its own, and those of the groups merged into it.',
  ),
  state: v.picklist(groupStates),
  title: described(textOrNull, 'Class and message of its latest event; null until the next tick.'),
  causes: described(listOf(text), 'Class and message of each cause, the root cause last.'),
  frame: described(textOrNull, 'The topmost frame of the application.'),
  sampleEventId: described(textOrNull, 'Its latest event, which may be in the archive.'),
  origin: described(v.nullable(OriginSchema), 'Of its latest event; null if it has none in dlq_events.'),
  firstSeenAt: time,
  beganAt: described(time, 'When its failures began: of a regressed one, when it failed again.'),
  lastSeenAt: time,
  owner: textOrNull,
  note: textOrNull,
  mutedUntil: timeOrNull,
  failures: described(count, 'Captures and recurrences since the first; all other counts are events.'),
  open: count,
  failedPermanently: count,
  eventTypes: described(
    listOf(v.strictObject({ eventType: text, open: count, failedPermanently: count })),
    'The 20 types with most events.',
  ),
  eventTypeCount: count,
  failuresIn24Hours: described(count, 'In 24 clock hours: this one (UTC) and the 23 before.'),
  trend: described(listOf(count), 'Failures in each of these hours, this one last.'),
  novelty: v.nullable(v.picklist(novelties)),
});

export type Group = Readonly<v.InferOutput<typeof GroupSchema>>;

/**
 * SQL that joins the event of the error groups `members` that was captured last, as `latest`: one index
 * lookup for each fingerprint. A range of one value: with an equality, where few fingerprints are known, the
 * planner may read the latest events of all until one fits, which none does for a group without events.
 */
export const latestEvent = `lateral (
  select event.*
  from unnest(members) as member
  cross join lateral (
    select
      id, json_build_object('errorClass', error_class, 'errorReason', left(error_reason, 65536)) as said,
      json_build_object('eventType', event_type, 'sourceKind', source_kind, 'sourceTopic', source_topic,
        'sourceSubscription', source_subscription, 'consumerGroup', consumer_group) as origin
    from dlq_events
    where fingerprint between member and member
    order by fingerprint desc, id desc
    limit 1
  ) as event
  order by event.id desc
  limit 1
) as latest`;

const listRead = statement<
  { fingerprints: readonly string[]; until: Date },
  Group & { readonly said: Said | null }
>('read-groups', { novelty, latestEvent });

/**
 * Reads groups with what is counted of them up to `until`, a merged one as the one that it is merged into,
 * in the words of their latest event. Omits those that do not exist.
 */
export async function readGroups(
  db: Database,
  asked: { readonly fingerprints: readonly string[]; readonly until: Date },
): Promise<Group[]> {
  const rows = await listRead(db, asked);
  return rows.map(({ said, ...group }) => {
    const failure = said && toFailure(said);
    return failure ? { ...group, title: nameGroup(group.fingerprint, failure).title } : group;
  });
}

/** The words of the consumer about a failure. */
export type Said = Pick<Failure, 'errorClass' | 'errorReason'>;

/** A failure of which only this is known; undefined if nothing was said. */
export function toFailure({ errorClass, errorReason }: Said): Failure | undefined {
  if (!errorClass && (errorReason === null || errorReason === notReported)) return undefined;
  return { errorClass, errorReason, errorStacktrace: null, eventType: '', consumer: null };
}

/** Names an error group by a failure of it. */
export function nameGroup(fingerprint: string, failure: Failure): Naming {
  const naming = nameFailure(failure);
  if (!fingerprint.startsWith(crowdPrefix)) return naming;
  return { title: `Many different reasons, such as ${naming.title}`, causes: [], frame: null };
}

export const countGroups = statement<
  Record<string, never>,
  { readonly state: GroupState; readonly groups: number }
>('count-groups');

/** Finds a group, or the one that it is merged into. Throws NotFoundError. */
export async function requireGroup(db: Database, fingerprint: string): Promise<Group> {
  const [group] = await readGroups(db, { fingerprints: [fingerprint], until: new Date() });
  if (group) return group;
  throw new NotFoundError(`There is no error group ${fingerprint.slice(0, 80)}.`);
}

/** An error group that was merged into another one. */
const MergedGroupSchema = v.pick(GroupSchema, ['fingerprint', 'title', 'failures', 'lastSeenAt']);

const ConsumerSchema = v.strictObject({ name: text, events: count });

/** An error group in full. */
export const GroupDetailSchema = v.strictObject({
  ...GroupSchema.entries,
  consumers: described(listOf(ConsumerSchema), 'Of its latest 500 events.'),
  merged: described(listOf(MergedGroupSchema), 'The groups merged into it.'),
  actions: described(
    listOf(AuditEntrySchema),
    'The latest 100 changes by operators and by the service, also of the groups merged into it.',
  ),
});

export type GroupDetail = Readonly<v.InferOutput<typeof GroupDetailSchema>>;

const listConsumers = statement<{ members: readonly string[] }, v.InferOutput<typeof ConsumerSchema>>(
  'list-group-consumers',
);

const listMerged = statement<{ fingerprint: string }, v.InferOutput<typeof MergedGroupSchema>>(
  'list-merged-groups',
);

const maxActions = 100;

/** Returns a group in full, or the one that it is merged into. Throws NotFoundError. */
export async function showGroup(
  deps: { readonly db: Database } & MaskRules,
  requested: string,
): Promise<GroupDetail> {
  const { db } = deps;
  const group = await requireGroup(db, requested);
  const { fingerprint, members } = group;
  const [consumers, merged, actions] = await Promise.all([
    listConsumers(db, { members }),
    listMerged(db, { fingerprint }),
    listAudit(deps, { fingerprint }, { before: maxBigint, max: maxActions }),
  ]);
  return { ...group, consumers, merged, actions };
}
