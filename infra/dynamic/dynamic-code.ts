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
 * and does not report when they do.
 */
export const propagation: DynamicKind<PropagationInputs> = {
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

/** Inputs that every kind has: how it reaches Google Cloud, and the code that it runs. */
const common = ['kind', 'code', '__provider', 'accessToken', 'options'];

const pickOwn = (inputs: object) =>
  Object.fromEntries(Object.entries(inputs).filter(([field]) => !common.includes(field)));

/** The tokens of this run. A refresh compares with the token of the last update, which has expired since. */
const current = new Set<unknown>();

/** Returns the operations of a resource with these inputs, as Pulumi's engine calls them. */
export function openResource(inputs: Inputs) {
  const work = kinds[inputs.kind] as DynamicKind<object>;
  const google = openGoogle(inputs);
  // A preview does not know all inputs yet. Pulumi asks a provider with unknown credentials nothing.
  const isPlanned = !inputs.accessToken || Object.values(inputs).includes(unknownValue);
  return {
    /** Returns the inputs, completed, or why they are refused. */
    check: async (olds: object) => {
      current.add(inputs.accessToken);
      const reason = work.refuse?.(olds, inputs);
      if (reason) return { inputs, failures: [{ property: '', reason }] };
      return { inputs: work.check && !isPlanned ? await work.check(google, olds, inputs) : inputs };
    },
    /** Compares the inputs with those before, and with what there is on Google Cloud. */
    diff: async (olds: object) => {
      if (!current.has(inputs.accessToken)) return { changes: false };
      const isOther = isPlanned || (await work.hasDrifted?.(google, inputs));
      return { changes: isOther || !isDeepStrictEqual(pickOwn(olds), pickOwn(inputs)) };
    },
    /** Does the work of a resource that is new, or has changed. Returns what the engine records. */
    apply: async (olds?: object) => {
      await work.apply(google, inputs, olds);
      return inputs;
    },
  };
}
