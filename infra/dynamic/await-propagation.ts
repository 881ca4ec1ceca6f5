import { setTimeout as pause } from 'node:timers/promises';
import type { DynamicKind } from './dynamic-kind.ts';

export type PropagationInputs = {
  /**
   * Ids of the grants, and ids of their accounts, which change if an account is replaced by one of the same
   * name.
   */
  readonly grants: readonly string[];
  /** How long new grants take to become effective. */
  readonly seconds: number;
};

/**
 * Waits once for all new grants: Google Cloud confirms a grant minutes before each of its services knows it,
 * and does not report when they do. A different delay alone is no change.
 */
export const propagation: DynamicKind<PropagationInputs> = {
  hasChanged: async (_deps, olds, news) => findNew(olds, news).length > 0 || findNew(news, olds).length > 0,
  apply: async (_deps, news, olds = { grants: [], seconds: 0 }) => {
    if (findNew(olds, news).length > 0) await pause(news.seconds * 1000);
  },
};

function findNew(olds: PropagationInputs, news: PropagationInputs): string[] {
  return news.grants.filter((grant) => !olds.grants.includes(grant));
}
