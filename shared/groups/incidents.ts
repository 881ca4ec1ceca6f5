import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Route } from '../delivery/routes.ts';
import { latestEvent } from '../fingerprint/latest-event.ts';
import { count, described, listOf, text, textOrNull, time } from '../response-values.ts';
import { GroupSchema } from './error-groups.ts';
import { leadsTo } from './list-groups.ts';

/** An error group as `list-recent-groups.sql` returns it. */
const IncidentGroupSchema = v.strictObject({
  ...v.pick(GroupSchema, [
    'fingerprint',
    'members',
    'title',
    'lastSeenAt',
    'failures',
    'open',
    'failedPermanently',
  ]).entries,
  beganAt: time,
  eventType: described(text, 'Of its latest event, as source and consumer.'),
  sourceKind: text,
  sourceTopic: textOrNull,
  consumerGroup: textOrNull,
});

/** Error groups that began together at one target: probably one outage. */
export const IncidentSchema = v.strictObject({
  target: described(text, 'The target of the route of their events.'),
  since: described(time, 'When the first of them began.'),
  lastSeenAt: time,
  failures: count,
  open: described(count, 'Open events of all of them.'),
  failedPermanently: count,
  groups: listOf(IncidentGroupSchema),
});

export type Incident = Readonly<v.InferOutput<typeof IncidentSchema>>;

type RecentGroup = v.InferOutput<typeof IncidentGroupSchema>;

const listRecentGroups = statement<{ since: Date; max: number }, RecentGroup>('list-recent-groups', {
  latestEvent,
});

/** Groups that began within this time of one another are one incident. */
const maxGapMs = 10 * 60_000;

/** How far back incidents are looked for. */
const maxAgeMs = 3 * 86_400_000;

/** Groups that are read, and groups of one incident: a filter names all of them. */
const maxGroups = 300;
const maxPerIncident = 50;

/**
 * Lists the incidents of the last three days, the latest first: at least two unresolved groups that began
 * together at one target.
 */
export async function listIncidents(
  { db, routes }: { readonly db: Database; readonly routes: readonly Route[] },
  now: Date,
): Promise<Incident[]> {
  const since = new Date(now.getTime() - maxAgeMs);
  const groups = await listRecentGroups(db, { since, max: maxGroups });
  const byTarget = Map.groupBy(groups, (group) => leadsTo(routes, group));
  const incidents = [...byTarget].flatMap(([target, ofTarget]) =>
    target === undefined ? [] : clusterGroups(ofTarget).map((together) => describeIncident(target, together)),
  );
  return incidents.toSorted((a, b) => b.since.getTime() - a.since.getTime());
}

/** Splits groups by the time at which they began; groups that began alone are left out. */
function clusterGroups(groups: readonly RecentGroup[]): RecentGroup[][] {
  const clusters: RecentGroup[][] = [];
  for (const group of groups.toSorted((a, b) => a.beganAt.getTime() - b.beganAt.getTime())) {
    const last = clusters.at(-1);
    const gap = group.beganAt.getTime() - (last?.at(-1)?.beganAt.getTime() ?? 0);
    if (last && gap <= maxGapMs && last.length < maxPerIncident) last.push(group);
    else clusters.push([group]);
  }
  return clusters.filter(({ length }) => length > 1);
}

function describeIncident(target: string, groups: readonly RecentGroup[]): Incident {
  const sum = (of: 'failures' | 'open' | 'failedPermanently') =>
    groups.reduce((total, group) => total + group[of], 0);
  const eventsOf = (group: RecentGroup) => group.open + group.failedPermanently;
  return {
    target,
    since: groups[0]?.beganAt ?? new Date(0),
    lastSeenAt: new Date(Math.max(...groups.map(({ lastSeenAt }) => lastSeenAt.getTime()))),
    failures: sum('failures'),
    open: sum('open'),
    failedPermanently: sum('failedPermanently'),
    groups: groups.toSorted((a, b) => eventsOf(b) - eventsOf(a)),
  };
}
