import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { unknownValue } from '@pulumi/pulumi/runtime/rpc.js';
import { migrations } from '../cloud-sql.ts';
import { type GoogleAccess, openGoogle } from '../google-api.ts';
import { origin } from '../keep-origin.ts';
import { buildAttempts, rollout } from '../rollout/verify-rollout.ts';
import type { DynamicKind } from './dynamic-kind.ts';

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
  hasChanged: async (_google, olds, news) => !isDeepStrictEqual(new Set(olds.grants), new Set(news.grants)),
  apply: async (_google, { grants, seconds }, olds) => {
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

type Inputs = GoogleAccess & { readonly kind: Kind } & Readonly<Record<string, unknown>>;

const open = (inputs: Inputs) => ({
  work: kinds[inputs.kind] as DynamicKind<object>,
  google: openGoogle(inputs),
});

/** Whether a preview does not know all inputs yet. */
const isPlanned = (inputs: Inputs) => Object.values(inputs).includes(unknownValue);

/** Completes the inputs of a resource. */
export async function check(olds: object, news: Inputs) {
  const { work, google } = open(news);
  return work.check && !isPlanned(news) ? work.check(google, olds, news) : news;
}

/** Compares the inputs, and what there is on Google Cloud. */
export async function diff(olds: Inputs, news: Inputs) {
  const { work, google } = open(news);
  return { changes: isPlanned(news) || (await work.hasChanged(google, olds, news)) };
}

/** Does the work of a new resource. */
export async function create(inputs: Inputs) {
  const { work, google } = open(inputs);
  await work.apply(google, inputs);
  return { id: inputs.kind, outs: inputs };
}

/** Does the work of a resource that has changed. */
export async function update(olds: Inputs, news: Inputs) {
  const { work, google } = open(news);
  await work.apply(google, news, olds);
  return news;
}
