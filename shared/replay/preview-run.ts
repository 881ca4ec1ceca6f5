import * as v from 'valibot';
import { readBreakers } from '../delivery/breakers.ts';
import { readStates, TargetStateSchema } from '../delivery/read-states.ts';
import { nameTarget, reachOf, targetKinds } from '../delivery/targets/target-kinds.ts';
import { findMask } from '../events/masking/mask-rules.ts';
import { Status } from '../message/event.ts';
import { count, described, listOf, object, text, time, timeOrNull } from '../response-values.ts';
import type { SelectionEstimate } from './estimate-selection.ts';
import { PreviewFitSchema, previewFit } from './preview-fit.ts';
import { groupBy, PreviewGroupSchema } from './preview-groups.ts';
import { PreviewLimitsSchema, previewLimits } from './preview-limits.ts';
import { previewSelection, type SelectedEvent } from './preview-selection.ts';
import { PreviewWaitingSchema, previewWaiting } from './preview-waiting.ts';
import type { ReplayDeps } from './replay-deps.ts';
import { estimateSeconds } from './run-duration.ts';
import type { RunRequest } from './run-request.ts';
import { ShownChangeSchema, showChange } from './show-change.ts';
import { type Exclusion, excludedBecause, exclusions } from './skip-reasons.ts';

/**
 * An event that would be delivered. Edited fields are shown before and after, with masked fields hidden, or
 * the reason why the patch does not apply.
 */
const SampleSchema = v.strictObject({
  id: text,
  eventType: text,
  status: Status,
  capturedAt: time,
  errorReason: text,
  ...ShownChangeSchema.entries,
});

type Sample = v.InferOutput<typeof SampleSchema>;

/** The size of a message whose change is shown. */
const maxShownBytes = 64 * 1024;

/** The run that a request would create now. Long lists show the largest entries, with the total number. */
export const PreviewSchema = v.strictObject({
  dryRun: v.literal(true),
  selected: count,
  selection: described(text, 'Identifies the selected events; the request to create the run returns it.'),
  oldest: timeOrNull,
  newest: timeOrNull,
  fit: described(v.nullable(PreviewFitSchema), 'How many events the patch fits; null without a patch.'),
  excluded: listOf(v.strictObject({ reason: v.picklist(excludedBecause), events: count, meaning: text })),
  routes: listOf(v.strictObject({ match: object, target: text, ordered: v.boolean(), events: count })),
  targets: listOf(
    v.strictObject({
      target: text,
      kind: v.picklist(targetKinds),
      events: count,
      subscriptions: v.exactOptional(
        described(
          v.nullable(count),
          'The number of subscriptions of a topic, each of which gets every event; null if the function may not read it.',
        ),
      ),
      advice: v.exactOptional(text),
      state: TargetStateSchema,
    }),
  ),
  waiting: described(PreviewWaitingSchema, 'The selected events that cannot go now, by reason.'),
  limits: PreviewLimitsSchema,
  estimatedSeconds: described(
    v.nullable(v.number()),
    'How long one worker takes, by the rates and the latest durations; null if nothing is known.',
  ),
  eventTypes: PreviewGroupSchema,
  statuses: PreviewGroupSchema,
  errorGroups: PreviewGroupSchema,
  samples: listOf(SampleSchema),
});

export type Preview = Readonly<v.InferOutput<typeof PreviewSchema>>;

/** Returns what `createRun` would select for the same request. Changes nothing. */
export async function previewRun(
  deps: Pick<ReplayDeps, 'db' | 'routes' | 'costLimit'>,
  request: RunRequest,
): Promise<Preview> {
  const { estimate, errors, first, events } = await previewSelection(deps, request);
  const { selected, selection, parts, oldest, newest } = estimate;
  const { patch } = request;
  const targets = await describeTargets(deps, estimate);
  return {
    dryRun: true,
    selected,
    selection,
    fit: patch === undefined ? null : previewFit(patch, events, selected),
    oldest,
    newest,
    excluded: listExcluded(estimate),
    routes: sumRoutes(estimate),
    targets,
    waiting: await previewWaiting(deps.db, request, { estimate, first, targets }),
    limits: previewLimits(deps.routes, request, events),
    estimatedSeconds: estimateSeconds(listLoads(estimate, targets), request.rollout.ratePerSecond),
    eventTypes: groupBy(parts, ({ lane }) => lane.eventType),
    statuses: groupBy(parts, ({ status }) => status),
    errorGroups: { count: errors[0]?.groups ?? 0, largest: errors.map(({ groups: _, ...group }) => group) },
    samples: events.slice(0, request.samples).map((event) => describeSample(deps, request, event)),
  };
}

function listExcluded({ excluded }: SelectionEstimate): Preview['excluded'] {
  return Object.entries(excluded).map(([reason, events]) => {
    const exclusion = reason as Exclusion;
    return { reason: exclusion, events, meaning: exclusions[exclusion] };
  });
}

/** The events of each route to deliver, and the latest answers of its target. */
function listLoads(estimate: SelectionEstimate, targets: Preview['targets']) {
  const latest = new Map(targets.map(({ target, state }) => [target, state.latest]));
  return sumByRoute(estimate).map(({ route: { policy, target }, events }) => {
    return { events, policy, latest: latest.get(nameTarget(target)) ?? null };
  });
}

function sumRoutes(estimate: SelectionEstimate): Preview['routes'] {
  return sumByRoute(estimate).map(({ route, events }) => ({
    match: route.match,
    target: nameTarget(route.target),
    ordered: route.ordered,
    events,
  }));
}

function sumByRoute({ parts }: SelectionEstimate) {
  const routes = [...new Set(parts.map(({ route }) => route))];
  return routes.map((route) => ({ route, events: sum(parts.filter((part) => part.route === route)) }));
}

async function describeTargets(
  { db }: Pick<ReplayDeps, 'db'>,
  { parts }: SelectionEstimate,
): Promise<Preview['targets']> {
  const targets = new Map(parts.map(({ route: { target } }) => [nameTarget(target), target]));
  const states = await readStates(db, [...targets.keys()], await readBreakers(db));
  return Promise.all(
    states.map(async (state) => {
      const { target: name } = state;
      const target = targets.get(name);
      if (!target) throw new Error(`${name} is no target of this selection.`);
      return {
        target: name,
        kind: target.kind,
        events: sum(parts.filter(({ route }) => nameTarget(route.target) === name)),
        state,
        ...(await reachOf(target)),
      };
    }),
  );
}

function sum(parts: SelectionEstimate['parts']): number {
  return parts.reduce((total, { events }) => total + events, 0);
}

function describeSample(
  deps: Pick<ReplayDeps, 'routes' | 'masks'>,
  request: RunRequest,
  event: SelectedEvent,
): Sample {
  const { id, eventType, status, capturedAt, errorReason, bodyBytes } = event;
  const isChanged = request.patch !== undefined || request.edit !== undefined;
  const isShown = !isChanged || (event.isRead && bodyBytes <= maxShownBytes);
  const change = isShown
    ? showChange(event, { ...request, mask: findMask(deps, event) })
    : { omittedBytes: bodyBytes };
  return { id, eventType, status, capturedAt, errorReason, ...change };
}
