import * as v from 'valibot';
import { count, described } from '../events/response-values.ts';
import { sumUp } from './decide-rollout.ts';
import type { Run } from './run.ts';

export const RampStepSchema = described(
  v.nullable(v.strictObject({ step: count, of: count, deliveries: count, done: count })),
  'The step of its ramp, from 1, and how many of its deliveries are done; null without a ramp, and after its last step.',
);

/** The step of its ramp that a run is in. */
export function findRampStep({ rollout, doneInStage }: Pick<Run, 'rollout' | 'doneInStage'>) {
  const ramp = rollout.ramp ?? [];
  const index = sumUp(ramp).findIndex((end) => end > doneInStage);
  if (index === -1) return null;
  const before = sumUp(ramp)[index - 1] ?? 0;
  return { step: index + 1, of: ramp.length, deliveries: ramp[index] ?? 0, done: doneInStage - before };
}
