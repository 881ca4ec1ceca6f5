import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { readBreakers } from '../delivery/breakers.ts';
import { readStates, type TargetState, TargetStateSchema } from '../delivery/read-states.ts';
import type { Route } from '../delivery/routes.ts';
import { nameTarget, reachOf, targetKinds } from '../delivery/targets/target-kinds.ts';
import { findMask } from '../events/masking/mask-rules.ts';
import { Status } from '../message/event.ts';
import { count, described, listOf, object, text, textOrNull, time, timeOrNull } from '../response-values.ts';
import {
  estimateSeconds,
  groupBy,
  PreviewGroupSchema,
  type SelectionEstimate,
  sumEvents,
} from './estimate-selection.ts';
import {
  PreviewFitSchema,
  PreviewLimitsSchema,
  previewFit,
  previewLimits,
  previewSelection,
  type SelectedEvent,
} from './preview-selection.ts';
import type { ReplayDeps } from './replay-deps.ts';
import type { RunRequest } from './run-request.ts';
import { ShownChangeSchema, showChange } from './show-change.ts';
import { type Exclusion, excludedBecause, exclusions } from './skip-reasons.ts';

const meanings = {
  held: 'Their target is held: the run waits until it is released.',
  down: 'Their target is down: the run waits until it is back.',
  paused: 'Their target asked for a pause: the run waits for its end.',
  blocked: 'An earlier event of their key goes first, and is not selected: replay or discard that one, too.',
} as const;

/** The selected events that cannot go now, by the reasons of whyNotNow. */
const PreviewWaitingSchema = listOf(
  v.strictObject({
    reason: v.picklist(['held', 'down', 'paused', 'blocked']),
    events: count,
    checked: described(count, 'The number of events of which these are: all, or the first of the selection.'),
    example: described(textOrNull, 'The id of one of them.'),
    meaning: text,
  }),
);

type Waiting = v.InferOutput<typeof PreviewWaitingSchema>;

const countBlocked = statement<
  { ids: readonly string[]; lanes: readonly string[] },
  { readonly events: number; readonly example: string | null }
>('count-blocked');

type Previewed = {
  readonly estimate: SelectionEstimate;
  /** The ids of the first events. */
  readonly first: readonly string[];
  readonly targets: readonly { readonly events: number; readonly state: Pick<TargetState, 'state'> }[];
};

/** Counts the selected events that a run which starts now cannot send, and says why. */
async function previewWaiting(
  db: Database,
  { rollout }: Pick<RunRequest, 'rollout'>,
  { estimate: { parts, selected: checked }, first, targets }: Previewed,
): Promise<Waiting> {
  const lanes = parts.filter(({ route }) => route.ordered).map(({ lane }) => lane.lane);
  const [blocked] = lanes.length === 0 ? [] : await countBlocked(db, { ids: first, lanes });
  const sumOf = (...states: readonly TargetState['state'][]) =>
    sumEvents(targets.filter(({ state }) => states.includes(state.state)));
  const found = [
    { reason: 'held', events: rollout.toHeldTargets ? 0 : sumOf('held'), checked, example: null },
    { reason: 'down', events: rollout.waitForTarget ? sumOf('down', 'probing') : 0, checked, example: null },
    { reason: 'paused', events: rollout.toHeldTargets ? 0 : sumOf('paused'), checked, example: null },
    { reason: 'blocked', events: 0, example: null, ...blocked, checked: first.length },
  ] as const;
  return found
    .filter(({ events }) => events > 0)
    .map((each) => ({ ...each, meaning: meanings[each.reason] }));
}

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
  const routed = sumByRoute(estimate);
  const targets = await describeTargets(deps.db, routed);
  const stateOf = (name: string) => targets.find(({ target }) => target === name)?.state;
  const loads = routed.map(({ route: { policy }, target, events }) => {
    return { events, policy, state: stateOf(target) };
  });
  return {
    dryRun: true,
    selected,
    selection,
    fit: patch === undefined ? null : previewFit(patch, events, selected),
    oldest,
    newest,
    excluded: listExcluded(estimate),
    routes: routed.map(({ route: { match, ordered }, target, events }) => {
      return { match, target, ordered, events };
    }),
    targets,
    waiting: await previewWaiting(deps.db, request, { estimate, first, targets }),
    limits: previewLimits(deps.routes, request, events),
    estimatedSeconds: estimateSeconds(loads, request.rollout.ratePerSecond),
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

type Routed = { readonly route: Route; readonly target: string; readonly events: number };

function sumByRoute({ parts }: SelectionEstimate): Routed[] {
  return [...Map.groupBy(parts, ({ route }) => route)].map(([route, ofRoute]) => {
    return { route, target: nameTarget(route.target), events: sumEvents(ofRoute) };
  });
}

/** The events of each target, and its state. */
async function describeTargets(db: Database, routed: readonly Routed[]): Promise<Preview['targets']> {
  const targets = new Map(routed.map(({ route, target }) => [target, route.target]));
  const states = await readStates(db, [...targets.keys()], await readBreakers(db));
  return Promise.all(
    [...targets].map(async ([name, target], i) => ({
      target: name,
      kind: target.kind,
      events: sumEvents(routed.filter((each) => each.target === name)),
      state: states[i] as TargetState,
      ...(await reachOf(target)),
    })),
  );
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
