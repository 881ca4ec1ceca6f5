import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import { isServing, readServed } from './read-served.ts';

export type BuildAttemptInputs = {
  /** `projects/PROJECT/locations/LOCATION/services/NAME` of the function. */
  readonly service: string;
  /** Hash of what is deployed. */
  readonly deployment: string;
  /** A number, as text. Undefined in the program. */
  readonly attempt: string | undefined;
};

/** Raises the attempt if what the last update deployed is not what serves: its build or its start failed. */
export const buildAttempt: DynamicKind<BuildAttemptInputs> = {
  identify: ({ service }) => service,
  check: async ({ ask }, { service, deployment, attempt = '1' }, news) => {
    if (service === undefined || deployment === undefined) return { ...news, attempt };
    const served = await readServed(ask, service);
    const isRolledOut = isServing(served, deployment) || isServing(served, news.deployment);
    return { ...news, attempt: isRolledOut ? attempt : String(Number(attempt) + 1) };
  },
  hasChanged: async (_deps, olds, news) =>
    (['service', 'deployment', 'attempt'] as const).some((field) => olds[field] !== news[field]),
  // The engine records the inputs.
  apply: async () => {},
};
