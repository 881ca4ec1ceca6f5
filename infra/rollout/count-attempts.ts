import { isDeepStrictEqual } from 'node:util';
import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import { isServing, readServed } from './read-served.ts';

type ByService = Readonly<Record<string, string>>;

export type BuildAttemptsInputs = {
  /** Hashes of what is deployed, by `projects/PROJECT/locations/LOCATION/services/NAME`. */
  readonly deployments: ByService;
  /** Numbers, as text, by service. Undefined in the program. */
  readonly attempts: ByService | undefined;
};

/**
 * Raises the attempt where what the last update deployed is not what serves: its build or start failed.
 * Pulumi's state then has the values that were wanted; the attempt is a difference, for which the function is
 * built again.
 */
export const buildAttempts: DynamicKind<BuildAttemptsInputs> = {
  check: async ({ ask }, { deployments: before = {}, attempts = {} }, news) => {
    // A text stands for what a preview does not know yet.
    if (typeof news.deployments !== 'object') return { ...news, attempts };
    const counted = Object.entries(news.deployments).map(async ([service, deployment]) => {
      const [attempt = '1', last] = [attempts[service], before[service]];
      if (last === undefined) return [service, attempt];
      const served = await readServed(ask, service);
      const isRolledOut = isServing(served, last) || isServing(served, deployment);
      return [service, isRolledOut ? attempt : String(Number(attempt) + 1)];
    });
    return { ...news, attempts: Object.fromEntries(await Promise.all(counted)) };
  },
  hasChanged: async (_deps, olds, news) =>
    (['deployments', 'attempts'] as const).some((field) => !isDeepStrictEqual(olds[field], news[field])),
  // The engine records the inputs.
  apply: async () => {},
};
