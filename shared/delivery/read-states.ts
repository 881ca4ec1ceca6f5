import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { count, described, text, textOrNull, timeOrNull } from '../response-values.ts';
import type { Breaker, Breakers } from './breakers.ts';

/**
 * `held` by an operator; `down`: its breaker is open; `probing`: one event finds out whether it is back;
 * `paused`: it asked for a pause; `nothing-delivered`: none of its latest deliveries succeeded.
 */
const states = ['up', 'nothing-delivered', 'down', 'probing', 'paused', 'held', 'unused'] as const;

export const TargetStateSchema = v.strictObject({
  target: described(text, 'Its URL or topic.'),
  state: described(v.picklist(states), 'unused: no delivery to it is known.'),
  since: described(timeOrNull, 'Since when it is held, or its breaker is open.'),
  probeAfter: described(timeOrNull, 'When the next claim may send a probe to a target that is down.'),
  heldBy: textOrNull,
  heldReason: textOrNull,
  heldUntil: described(timeOrNull, 'When the hold ends by itself.'),
  pausedUntil: described(timeOrNull, 'When the pause that it asked for ends.'),
  lastAt: described(timeOrNull, 'The last delivery.'),
  latest: described(
    v.nullable(
      v.strictObject({ deliveries: count, delivered: count, medianMs: v.number(), p95Ms: v.number() }),
    ),
    'The latest deliveries, up to 200.',
  ),
});

export type TargetState = Readonly<v.InferOutput<typeof TargetStateSchema>>;

type Measured = Pick<TargetState, 'target' | 'lastAt' | 'latest'>;

const measureTargets = statement<{ targets: readonly string[] }, Measured>('measure-targets');

/** Reads the state of targets, in the given order. */
export async function readStates(
  db: Database,
  targets: readonly string[],
  breakers: Breakers,
): Promise<TargetState[]> {
  const measured = await measureTargets(db, { targets });
  const byTarget = new Map(measured.map((each) => [each.target, each]));
  return targets.map((target) => toState(target, breakers.get(target), byTarget.get(target)));
}

function toState(target: string, breaker: Breaker | undefined, measured: Measured | undefined): TargetState {
  const { heldAt = null, heldBy = null, heldReason = null, heldUntil = null } = breaker ?? {};
  const { lastAt = null, latest = null } = measured ?? {};
  const state = stateOf(breaker, latest);
  const since = heldAt ?? breaker?.openedAt ?? null;
  const probeAfter = (state === 'down' && breaker?.probeAfter) || null;
  const pausedUntil = (state === 'paused' && breaker?.pausedUntil) || null;
  return { target, state, since, probeAfter, heldBy, heldReason, heldUntil, pausedUntil, lastAt, latest };
}

function stateOf(breaker: Breaker | undefined, latest: TargetState['latest']): TargetState['state'] {
  const { turn = 'open', state } = breaker ?? {};
  if (turn === 'held' || turn === 'paused') return turn;
  if (turn !== 'open') return state === 'HALF_OPEN' ? 'probing' : 'down';
  if (!latest) return 'unused';
  return latest.delivered > 0 ? 'up' : 'nothing-delivered';
}
