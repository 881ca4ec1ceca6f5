import type { Rollout } from './rollout.ts';

/** How fast a replay begins, each with a sentence and the fields of a request that it stands for. */
export const paces = {
  careful: {
    meaning: '1 event, then it waits for you; then steps of 5, 20 and 100.',
    rollout: { canary: 1, ramp: [1, 5, 20, 100], gate: { window: 50, maxFailureRatio: 0.1 } },
  },
  normal: {
    meaning: 'Steps of 10, 50 and 200, each of which must pass; then all.',
    rollout: { ramp: [10, 50, 200], gate: { window: 50, maxFailureRatio: 0.5 } },
  },
  gentle: {
    meaning: 'At most 10 a second; pauses above 50 % failures.',
    rollout: { ratePerSecond: 10, gate: { window: 50, maxFailureRatio: 0.5 } },
  },
  fast: {
    meaning: 'At the limits of the target; pauses above 50 % failures.',
    rollout: { gate: { window: 50, maxFailureRatio: 0.5 } },
  },
} as const satisfies Record<string, { readonly meaning: string; readonly rollout: Rollout }>;

export type Pace = keyof typeof paces;

export const paceNames = Object.keys(paces) as [Pace, ...Pace[]];

/** The JSON of a request with the fields of its pace, as far as it does not set them itself. */
export function applyPace(request: unknown): unknown {
  if (typeof request !== 'object' || request === null || !('pace' in request)) return request;
  const pace = paceNames.find((name) => name === request.pace);
  return pace === undefined ? request : { ...paces[pace].rollout, ...request };
}
