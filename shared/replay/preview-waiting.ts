import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { TargetState } from '../delivery/read-states.ts';
import { count, described, listOf, text, textOrNull } from '../response-values.ts';
import type { SelectionEstimate } from './estimate-selection.ts';
import type { RunRequest } from './run-request.ts';

const meanings = {
  held: 'Their target is held: the run waits until it is released.',
  down: 'Their target is down: the run waits until it is back.',
  blocked: 'An earlier event of their key goes first, and is not selected: replay or discard that one, too.',
} as const;

/** The selected events that cannot go now, by the reasons of whyNotNow. */
export const PreviewWaitingSchema = listOf(
  v.strictObject({
    reason: v.picklist(['held', 'down', 'blocked']),
    events: count,
    checked: described(count, 'The number of events of which these are: all, or the first of the selection.'),
    example: described(textOrNull, 'The id of one of them.'),
    meaning: text,
  }),
);

type Waiting = v.InferOutput<typeof PreviewWaitingSchema>[number];

const countBlocked = statement<
  { ids: readonly string[]; lanes: readonly string[] },
  { readonly events: number; readonly example: string | null }
>('count-blocked', import.meta.url);

type Previewed = {
  readonly estimate: SelectionEstimate;
  /** The ids of the first events. */
  readonly first: readonly string[];
  readonly targets: readonly { readonly events: number; readonly state: Pick<TargetState, 'state'> }[];
};

/** Counts the selected events that a run which starts now cannot send, and says why. */
export async function previewWaiting(
  db: Database,
  { rollout }: Pick<RunRequest, 'rollout'>,
  { estimate, first, targets }: Previewed,
): Promise<Waiting[]> {
  const ordered = estimate.parts.filter(({ route }) => route.ordered).map(({ lane }) => lane.lane);
  const [blocked] = ordered.length === 0 ? [] : await countBlocked(db, { ids: first, lanes: ordered });
  const sumOf = (...states: readonly TargetState['state'][]) =>
    targets.reduce((sum, { events, state }) => sum + (states.includes(state.state) ? events : 0), 0);
  const found = [
    { reason: 'held', events: rollout.toHeldTargets ? 0 : sumOf('held'), checked: estimate.selected },
    {
      reason: 'down',
      events: rollout.waitForTarget ? sumOf('down', 'probing') : 0,
      checked: estimate.selected,
    },
    {
      reason: 'blocked',
      events: blocked?.events ?? 0,
      checked: first.length,
      example: blocked?.example ?? null,
    },
  ] as const;
  return found
    .filter(({ events }) => events > 0)
    .map((each) => ({ example: null, ...each, meaning: meanings[each.reason] }));
}
