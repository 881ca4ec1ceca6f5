import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { unknownValue } from '@pulumi/pulumi/runtime/rpc.js';
import type { ReadConfig } from '../../migrations/credentials.ts';
import { migrations } from '../cloud-sql.ts';
import { openGoogleApi } from '../google-api.ts';
import { origin } from '../keep-origin.ts';
import { buildAttempts, rollout } from '../rollout/verify-rollout.ts';
import type { Deps, DynamicKind } from './dynamic-kind.ts';

export type PropagationInputs = {
  /** Ids of the grants, and of their accounts, which change if one is replaced under its name. */
  readonly grants: readonly string[];
  /** How long new grants take to become effective. */
  readonly seconds: number;
};

/**
 * Waits once for all new grants: Google Cloud confirms a grant minutes before each of its services knows it,
 * and does not report when they do. A different delay alone is no change.
 */
export const propagation: DynamicKind<PropagationInputs> = {
  hasChanged: async (_deps, olds, news) => !isDeepStrictEqual(new Set(olds.grants), new Set(news.grants)),
  apply: async (_deps, { grants, seconds }, olds) => {
    if (grants.some((grant) => !olds?.grants.includes(grant))) await pause(seconds * 1000);
  },
};

const kinds = {
  BuildAttempts: buildAttempts,
  Migrations: migrations,
  Origin: origin,
  Propagation: propagation,
  Rollout: rollout,
};

export type Kind = keyof typeof kinds;

type Inputs = {
  readonly kind: Kind;
  /** The configuration of an explicit provider by `gcp:KEY`; otherwise that of the stack counts. */
  readonly provider?: Readonly<Record<string, string>>;
} & Readonly<Record<string, unknown>>;

function open({ kind, provider }: Inputs, ofStack: ReadConfig): { work: DynamicKind<object>; deps: Deps } {
  const ofProvider = (key: string) => (provider?.[key] === unknownValue ? undefined : provider?.[key]);
  const readConfig = provider ? ofProvider : ofStack;
  return { work: kinds[kind] as DynamicKind<object>, deps: { ask: openGoogleApi(readConfig), readConfig } };
}

/** Completes the inputs of a resource. */
export async function check(readConfig: ReadConfig, olds: object, news: Inputs) {
  const { work, deps } = open(news, readConfig);
  return work.check ? work.check(deps, olds, news) : news;
}

/** Compares the inputs, and what there is on Google Cloud. */
export async function diff(readConfig: ReadConfig, olds: Inputs, news: Inputs) {
  const { work, deps } = open(news, readConfig);
  // A preview does not know everything yet.
  if (Object.values(news).includes(unknownValue)) return { changes: true };
  return { changes: await work.hasChanged(deps, olds, news) };
}

/** Does the work of a new resource. */
export async function create(readConfig: ReadConfig, inputs: Inputs) {
  const { work, deps } = open(inputs, readConfig);
  await work.apply(deps, inputs);
  return { id: inputs.kind, outs: inputs };
}

/** Does the work of a resource that has changed. */
export async function update(readConfig: ReadConfig, olds: Inputs, news: Inputs) {
  const { work, deps } = open(news, readConfig);
  await work.apply(deps, news, olds);
  return news;
}
