import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { count, described, listOf, object, text, textOrNull, time, timeOrNull } from '../response-values.ts';
import { groupStates, type ListedGroup, listGroupActions, requireGroup } from './error-groups.ts';
import { listMergedGroups, MergedGroupSchema } from './merge-groups.ts';

const entries = {
  fingerprint: text,
  members: described(
    listOf(text),
    'The fingerprints of its events, for a filter: its own, and those of the groups merged into it.',
  ),
  state: v.picklist(groupStates),
  title: described(textOrNull, 'Class and message of its latest event; null until the next tick.'),
  causes: described(listOf(text), 'Class and message of each cause, the root cause last.'),
  frame: described(textOrNull, 'The topmost frame of the application.'),
  firstSeenAt: time,
  lastSeenAt: time,
  failures: described(count, 'Captures and recurrences since the first; all other counts are events.'),
  owner: textOrNull,
};

/** An error group in a list. */
export const GroupSchema = v.strictObject({
  ...entries,
  open: count,
  failedPermanently: count,
  eventTypes: described(listOf(text), 'The five types with most events.'),
  eventTypeCount: count,
  failuresIn24Hours: count,
  trend: described(listOf(count), 'Failures in each of the last 24 hours, the current one last.'),
  novelty: v.nullable(v.picklist(['regressed', 'new', 'growing'])),
});

/** Returns a group as lists show it. */
export function describeGroup({ key: _, ...group }: ListedGroup): v.InferOutput<typeof GroupSchema> {
  return group;
}

/** An error group in full. */
export const GroupDetailSchema = v.strictObject({
  ...entries,
  sampleEventId: described(textOrNull, 'Its latest event, which may be in the archive.'),
  note: textOrNull,
  mutedUntil: timeOrNull,
  eventTypes: listOf(v.strictObject({ eventType: text, open: count, failedPermanently: count })),
  consumers: described(listOf(v.strictObject({ name: text, events: count })), 'Of its latest 500 events.'),
  merged: described(listOf(MergedGroupSchema), 'The groups merged into it.'),
  actions: described(
    listOf(v.strictObject({ at: time, actor: text, action: text, reason: textOrNull, details: object })),
    'The latest 100 changes by operators and by the service.',
  ),
});

/** Returns a group in full, or the one that it is merged into. Throws NotFoundError. */
export async function showGroup(
  db: Database,
  fingerprint: string,
): Promise<v.InferOutput<typeof GroupDetailSchema>> {
  const group = await requireGroup(db, fingerprint);
  const of = { fingerprint: group.fingerprint };
  const [merged, actions] = await Promise.all([listMergedGroups(db, of), listGroupActions(db, of)]);
  return { ...group, merged, actions };
}
