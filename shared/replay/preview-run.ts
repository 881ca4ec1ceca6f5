import * as v from 'valibot';
import { countBy, sumEvents } from '../count-of.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { readBreakers } from '../delivery/breakers.ts';
import { readStates, type TargetState, TargetStateSchema } from '../delivery/read-states.ts';
import type { Route } from '../delivery/routes.ts';
import { nameTarget, reachOf, targetKinds } from '../delivery/targets/target-kinds.ts';
import { findMask } from '../events/masking/mask-rules.ts';
import { Status } from '../message/event.ts';
import { count, described, listOf, text, textOrNull, time, timeOrNull } from '../response-values.ts';
import { PreviewGroupSchema, type SelectionEstimate } from './estimate-selection.ts';
import {
  PreviewFitSchema,
  PreviewLimitsSchema,
  previewFit,
  previewLimits,
  previewSelection,
  type SelectedEvent,
} from './preview-selection.ts';
import type { ReplayDeps } from './replay-deps.ts';
import { rateOf } from './rollout.ts';
import type { RunRequest } from './run-request.ts';
import { ShownChangeSchema, showChange } from './show-change.ts';
import { type Exclusion, excludedBecause, skipReasons } from './skip-reasons.ts';

/** The selected events that wait for an earlier event of their key, which is not selected. */
const BlockedSchema = v.strictObject({
  events: count,
  checked: described(count, 'The number of events of which these are: the first of the selection.'),
  example: described(textOrNull, 'The id of one of them.'),
});

const countBlocked = statement<
  { ids: readonly string[]; lanes: readonly string[] },
  { readonly events: number; readonly example: string | null }
>('count-blocked');

/** Of the events `ids`, those in ordered lanes. */
async function previewBlocked(db: Database, { parts }: SelectionEstimate, ids: readonly string[]) {
  const lanes = parts.filter(({ route }) => route.ordered).map(({ lane }) => lane);
  const [blocked] = lanes.length === 0 ? [] : await countBlocked(db, { ids, lanes });
  return blocked && blocked.events > 0 ? { ...blocked, checked: ids.length } : null;
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

const maxSamples = 5;
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
  blocked: described(
    v.nullable(BlockedSchema),
    'The selected events that wait for an earlier event of their key, which is not selected; null for none.',
  ),
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
  return {
    dryRun: true,
    selected,
    selection,
    fit: patch === undefined ? null : previewFit(patch, events, selected),
    oldest,
    newest,
    excluded: listExcluded(estimate),
    targets,
    blocked: await previewBlocked(deps.db, estimate, first),
    limits: previewLimits(deps.routes, request, events),
    estimatedSeconds: estimateSeconds(routed, targets, rateOf(request.rollout)),
    eventTypes: countBy(parts, ({ eventType }) => eventType),
    statuses: countBy(parts, ({ status }) => status),
    errorGroups: errors,
    samples: events.slice(0, maxSamples).map((event) => describeSample(deps, request, event)),
  };
}

function listExcluded({ excluded }: SelectionEstimate): Preview['excluded'] {
  const counts = Object.entries(excluded) as [Exclusion, number][];
  return counts.map(([reason, events]) => ({ reason, events, meaning: skipReasons[reason] }));
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

/**
 * Estimates the seconds in which one worker delivers the events of all routes: by the rate of the run, the
 * rate of each route, and what its concurrency allows at the median duration of the latest deliveries. Null
 * if a route has no rate and no latest deliveries.
 */
function estimateSeconds(routed: readonly Routed[], targets: Preview['targets'], runRate = noLimit) {
  const seconds = routed.map(({ route: { policy }, target, events }) => {
    const latest = targets.find((each) => each.target === target)?.state.latest;
    const atLatency = latest ? (1000 * policy.concurrency) / Math.max(1, latest.medianMs) : noLimit;
    const rate = Math.min(policy.ratePerSecond ?? noLimit, atLatency, runRate);
    return rate === noLimit ? noLimit : events / rate;
  });
  const longest = Math.max(sumEvents(routed) / runRate, ...seconds);
  return routed.length > 0 && longest !== noLimit ? longest : null;
}

const noLimit = Number.POSITIVE_INFINITY;

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
