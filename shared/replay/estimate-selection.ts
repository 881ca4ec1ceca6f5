import { isUtf8 } from 'node:buffer';
import * as v from 'valibot';
import { sumEvents } from '../count-of.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { InputError } from '../errors.ts';
import type { Filter } from '../events/filter/filter-schema.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import { runWithinCost } from '../events/filter/run-within-cost.ts';
import { type Failure, nameFailure } from '../fingerprint/fingerprint.ts';
import { parseJson } from '../json/parse-json.ts';
import type { Origin, Status } from '../message/event.ts';
import type { StoredMessage } from '../message/printed-message.ts';
import { count, described, listOf, text, textOrNull } from '../response-values.ts';
import type { ReplayDeps } from './replay-deps.ts';
import { findRouteTo } from './run.ts';
import type { RunRequest } from './run-request.ts';
import { barrierOf, type Exclusion, exclusion } from './skip-reasons.ts';

/** The largest groups of selected events, by type, status or error. An error group has the title of one. */
export const PreviewGroupSchema = v.strictObject({
  count: described(count, 'The number of all groups.'),
  largest: listOf(
    v.strictObject({
      value: textOrNull,
      events: count,
      title: v.exactOptional(described(text, 'The error of one event.')),
    }),
  ),
});

type PreviewGroup = v.InferOutput<typeof PreviewGroupSchema>;

/** An error group of selected events, with the failure of one; `groups`: the number of all. */
type SelectedError = Failure & PreviewGroup['largest'][number] & { readonly groups: number };

/** The events that a replay selects, and their target. */
type Selection = Pick<RunRequest, 'filter' | 'target' | 'edit'>;

/** Events of a lane with one status and one skip reason. */
type LaneCount = Origin & {
  readonly lane: string;
  readonly status: Status;
  readonly skipReason: Exclusion | null;
  readonly events: number;
  readonly oldest: Date;
  readonly newest: Date;
  readonly firstId: string;
  readonly lastId: string;
  /** The sum of the hashes of their ids. */
  readonly digest: string;
  /** Of the whole selection, with the first row. */
  readonly errors: readonly SelectedError[] | null;
};

const countLanes = filteredStatement<{ unrouted: readonly string[] }, LaneCount>(
  'estimate-selection',
  (filter) => ({ state: stateIn(filter), exclusion: exclusion(filter, 'barrier') }),
);

function stateIn(filter: Filter): string {
  const [only = 'PROCESSING', ...others] = filter.status ?? [];
  const isSimple = others.length === 0 && only !== 'PROCESSING' && only !== 'DISCARDED';
  return isSimple ? `'${only}' as status, null as barrier` : `status, ${barrierOf(filter)} as barrier`;
}

/** The replayable events of a selection by lane and status, and how many are excluded for which reason. */
export type SelectionEstimate = ReturnType<typeof sumLanes> & {
  /** The largest error groups of all that no skip reason excludes, also of those without a route. */
  readonly errors: PreviewGroup;
};

/** Events of a run: each is one row. A million rows are written within seconds, and delivered for hours. */
const maxEvents = 1_000_000;

/**
 * Estimates what a run would select now, without events of `unrouted` lanes. Throws InputError if no route
 * has the target, more events match than a run can have or the edit does not fit its event, and
 * TooCostlyError.
 */
export async function estimateSelection(
  { db, routes, costLimit }: Pick<ReplayDeps, 'db' | 'routes' | 'costLimit'>,
  selection: Selection,
  unrouted: readonly string[] = [],
): Promise<SelectionEstimate> {
  const { filter, target } = selection;
  const namedRoute = target === undefined ? undefined : requireRouteTo(routes, target);
  await checkEdit(db, selection);
  const rows = await runWithinCost(db, countLanes, { filter, params: { unrouted }, costLimit });
  const sums = sumLanes(filter, rows, (lane) => namedRoute ?? findRoute(routes, lane));
  return { ...sums, errors: nameErrors(rows[0]?.errors ?? []) };
}

function nameErrors(errors: readonly SelectedError[]): PreviewGroup {
  const largest = errors.map((each) => {
    return { value: each.value, events: each.events, title: nameFailure(each).title };
  });
  return { count: errors[0]?.groups ?? 0, largest };
}

/**
 * Sums the events of a selection that a route matches. Throws InputError if they are more than a run can
 * have.
 */
function sumLanes(
  filter: Filter,
  laneCounts: readonly LaneCount[],
  routeOf: (origin: Origin) => Route | undefined,
) {
  const excluded: Partial<Record<Exclusion, number>> = {};
  const unrouted = new Set<string>();
  const parts = laneCounts.flatMap(({ errors: _, ...part }) => {
    const route = routeOf(part);
    if (part.skipReason === null && route) return [{ ...part, route }];
    if (part.skipReason === null) unrouted.add(part.lane);
    const reason = part.skipReason ?? 'no-route';
    excluded[reason] = (excluded[reason] ?? 0) + part.events;
    return [];
  });
  const selected = sumEvents(parts);
  if (selected > maxEvents) throw tooManyEvents(filter, selected);
  const times = (of: 'oldest' | 'newest') => parts.map((part) => part[of].getTime());
  return {
    parts,
    /** Lanes of events that no route matches. */
    unrouted: [...unrouted],
    excluded,
    selected,
    selection: `${selected}-${parts.reduce((total, { digest }) => total + BigInt(digest), 0n)}`,
    oldest: selected > 0 ? new Date(Math.min(...times('oldest'))) : null,
    newest: selected > 0 ? new Date(Math.max(...times('newest'))) : null,
  };
}

function requireRouteTo(routes: readonly Route[], target: string): Route {
  const route = findRouteTo(routes, target);
  if (route) return route;
  const names = [...new Set(routes.map((each) => nameTarget(each.target)))];
  const remedy = `Must be the target of a configured route: ${names.slice(0, 20).join(', ') || 'none is configured'}.`;
  throw new InputError([{ field: 'target', value: target, remedy }]);
}

function tooManyEvents(filter: Filter, selected: number): InputError {
  const max = maxEvents.toLocaleString('en');
  const remedy = `It matches ${selected.toLocaleString('en')} events, and a run has at most ${max}: narrow it, for example by failedAfter and failedBefore.`;
  return new InputError([{ field: 'filter', value: filter, remedy }]);
}

const findEncodings = statement<{ ids: readonly string[] }, Pick<StoredMessage, 'payloadEncoding'>>(
  'find-encodings',
);

/**
 * Checks that the edited body of a JSON event is JSON too: its consumer cannot read anything else. Throws
 * InputError.
 */
async function checkEdit(db: Database, { edit, filter }: Selection): Promise<void> {
  if (edit?.body === undefined) return;
  const [event] = await findEncodings(db, { ids: filter.ids ?? [] });
  if (event?.payloadEncoding !== 'json') return;
  if (isUtf8(edit.body) && parseJson(edit.body.toString()) !== undefined) return;
  const remedy = 'Must be valid JSON in UTF-8, because the body of the event is JSON.';
  throw new InputError([{ field: 'edit.body', value: '(not shown)', remedy }]);
}
