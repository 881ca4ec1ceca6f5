import { isDeepStrictEqual } from 'node:util';
import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import { isServing, readServed } from './read-served.ts';

type ByFunction = Readonly<Record<string, string>>;

export type BuildAttemptsInputs = {
  /** `projects/PROJECT/locations/LOCATION/services/PREFIX-` */
  readonly prefix: string;
  /** Hashes of what is deployed, by function. */
  readonly deployments: ByFunction;
  /** Numbers, as text, by function. Undefined in the program. */
  readonly attempts: ByFunction | undefined;
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
    const counted = Object.entries(news.deployments).map(async ([name, deployment]) => {
      const [attempt = '1', last] = [attempts[name], before[name]];
      if (last === undefined) return [name, attempt];
      const served = await readServed(ask, news.prefix + name);
      const isRolledOut = isServing(served, last) || isServing(served, deployment);
      return [name, isRolledOut ? attempt : String(Number(attempt) + 1)];
    });
    return { ...news, attempts: Object.fromEntries(await Promise.all(counted)) };
  },
  hasChanged: async (_deps, olds, news) =>
    (['deployments', 'attempts'] as const).some((field) => !isDeepStrictEqual(olds[field], news[field])),
  // The engine records the inputs.
  apply: async () => {},
};
