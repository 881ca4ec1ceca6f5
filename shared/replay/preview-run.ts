import * as v from 'valibot';
import { statement } from '../database/statement.ts';
import { readBreakers } from '../delivery/breakers.ts';
import { messageFacts } from '../delivery/leased-event.ts';
import { readStates, TargetStateSchema } from '../delivery/read-states.ts';
import { nameTarget, reachOf, targetKinds } from '../delivery/targets/target-kinds.ts';
import { findMask } from '../events/masking/mask-rules.ts';
import type { Origin } from '../message/event.ts';
import { Status } from '../message/event.ts';
import { count, described, listOf, object, text, time, timeOrNull } from '../response-values.ts';
import type { SelectionEstimate } from './estimate-selection.ts';
import { PreviewFitSchema, previewFit } from './preview-fit.ts';
import { groupBy, groupErrors, maxGroups, PreviewGroupSchema } from './preview-groups.ts';
import { PreviewLimitsSchema, previewLimits } from './preview-limits.ts';
import { previewSelection } from './preview-selection.ts';
import { PreviewWaitingSchema, previewWaiting } from './preview-waiting.ts';
import type { ReplayDeps } from './replay-deps.ts';
import { estimateSeconds } from './run-duration.ts';
import type { RunRequest } from './run-request.ts';
import { type Original, type ShownChange, ShownChangeSchema, showChange } from './show-change.ts';
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

/** Events whose messages a preview may read: for its samples, the limits of their targets, and a patch. */
const maxRead = 1000;

/** The size of a message whose change is shown. */
const maxShownBytes = 64 * 1024;

const sampleSelection = statement<
  { ids: readonly string[]; maxBytes: number },
  Origin & Original & Omit<Sample, keyof ShownChange> & { readonly bytes: number; readonly isShown: boolean }
>('sample-selection', import.meta.url, messageFacts);

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
  const { db } = deps;
  const max = { maxFirst: maxRead, maxErrors: maxGroups };
  const { estimate, first, errors } = await previewSelection(deps, request, max);
  const { selected, selection } = estimate;
  const { patch } = request;
  const [targets, limits, fit, samples] = await Promise.all([
    describeTargets(deps, estimate),
    previewLimits(deps, request, first),
    patch === undefined ? null : previewFit(db, patch, { first, selected }),
    listSamples(deps, request, first),
  ]);
  return {
    dryRun: true,
    selected,
    selection,
    fit,
    oldest: estimate.oldest,
    newest: estimate.newest,
    excluded: listExcluded(estimate),
    routes: sumRoutes(estimate),
    targets,
    waiting: await previewWaiting(db, request, { estimate, first, targets }),
    limits,
    estimatedSeconds: estimateSeconds(listLoads(estimate, targets), request.rollout.ratePerSecond),
    eventTypes: groupBy(estimate.parts, ({ lane }) => lane.eventType),
    statuses: groupBy(estimate.parts, ({ status }) => status),
    errorGroups: groupErrors(errors),
    samples,
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

async function listSamples(
  deps: Pick<ReplayDeps, 'db' | 'routes' | 'masks'>,
  request: RunRequest,
  first: readonly string[],
): Promise<Sample[]> {
  const rows = await sampleSelection(deps.db, {
    ids: first.slice(0, request.samples),
    maxBytes: maxShownBytes,
  });
  return rows.map((row) => {
    const { id, eventType, status, capturedAt, errorReason, bytes, isShown } = row;
    const isChanged = request.patch !== undefined || request.edit !== undefined;
    const change =
      isShown || !isChanged
        ? showChange(row, { ...request, mask: findMask(deps, row) })
        : { omittedBytes: bytes };
    return { id, eventType, status, capturedAt, errorReason, ...change };
  });
}
