import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Route } from '../delivery/routes.ts';
import { count, described, listOf, text, time } from '../response-values.ts';
import { type Group, GroupSchema, readGroups } from './error-groups.ts';
import { leadsTo } from './list-groups.ts';

/** Error groups that began together at one target: probably one outage. */
export const IncidentSchema = v.strictObject({
  target: described(text, 'The target of the route of their events.'),
  since: described(time, 'When the first of them began.'),
  lastSeenAt: time,
  failures: count,
  open: described(count, 'Open events of all of them, also those of other routes or of none.'),
  failedPermanently: count,
  groups: listOf(GroupSchema),
});

export type Incident = Readonly<v.InferOutput<typeof IncidentSchema>>;

const listRecentGroups = statement<{ since: Date; max: number }, Pick<Group, 'fingerprint'>>(
  'list-recent-groups',
);

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
  const recent = await listRecentGroups(db, { since, max: maxGroups });
  const fingerprints = recent.map(({ fingerprint }) => fingerprint);
  const groups = await readGroups(db, { fingerprints, until: now });
  // A group that was merged into it may have begun before.
  const began = groups.filter(({ beganAt }) => beganAt >= since);
  const byTarget = Map.groupBy(began, ({ origin }) => leadsTo(routes, origin));
  const incidents = [...byTarget].flatMap(([target, ofTarget]) =>
    target === undefined ? [] : clusterGroups(ofTarget).map((together) => describeIncident(target, together)),
  );
  return incidents.toSorted((a, b) => b.since.getTime() - a.since.getTime());
}

/** Splits groups by the time at which they began; groups that began alone are left out. */
function clusterGroups(groups: readonly Group[]): Group[][] {
  const clusters: Group[][] = [];
  for (const group of groups.toSorted((a, b) => a.beganAt.getTime() - b.beganAt.getTime())) {
    const last = clusters.at(-1);
    const gap = group.beganAt.getTime() - (last?.at(-1)?.beganAt.getTime() ?? 0);
    if (last && gap <= maxGapMs && last.length < maxPerIncident) last.push(group);
    else clusters.push([group]);
  }
  return clusters.filter(({ length }) => length > 1);
}

function describeIncident(target: string, groups: readonly Group[]): Incident {
  const sum = (of: 'failures' | 'open' | 'failedPermanently') =>
    groups.reduce((total, group) => total + group[of], 0);
  return {
    target,
    since: groups[0]?.beganAt ?? new Date(0),
    lastSeenAt: new Date(Math.max(...groups.map(({ lastSeenAt }) => lastSeenAt.getTime()))),
    failures: sum('failures'),
    open: sum('open'),
    failedPermanently: sum('failedPermanently'),
    groups: groups.toSorted((a, b) => b.failedPermanently - a.failedPermanently || b.open - a.open),
  };
}
