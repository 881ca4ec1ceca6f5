import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { unknownValue } from '@pulumi/pulumi/runtime/rpc.js';
import { describeError } from '../../migrations/describe-error.ts';
import { migrations } from '../cloud-sql.ts';
import { type GoogleAccess, openGoogle } from '../google-api.ts';
import { origin } from '../keep-origin.ts';
import { buildAttempts, rollout } from '../rollout/verify-rollout.ts';
import type { Attempts, DynamicKind } from './dynamic-kind.ts';

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

/** Returns the operations of a resource with these inputs, as Pulumi's engine calls them. */
export function openResource(inputs: Inputs, google = openGoogle(inputs)) {
  const work = kinds[inputs.kind] as DynamicKind<object>;
  // A preview does not know all inputs yet. Pulumi asks a provider with unknown credentials nothing.
  const isPlanned = !inputs.accessToken || Object.values(inputs).includes(unknownValue);
  const countAttempts = async ({ attempts, ...olds }: { readonly attempts?: Attempts }) => {
    // A new resource has none.
    const failed = (attempts && (await work.findFailed?.(google, inputs, olds))) ?? [];
    const again = failed.map((name) => [name, String(Number(attempts?.[name] ?? 1) + 1)]);
    return { ...attempts, ...Object.fromEntries(again) };
  };
  return {
    /** Returns the inputs with the attempts, or why they are refused: Pulumi prints the stack of what it throws. */
    check: async (olds: object) => {
      try {
        work.refuse?.(olds, inputs);
        return { inputs: isPlanned ? inputs : { ...inputs, attempts: await countAttempts(olds) } };
      } catch (error) {
        return { inputs, failures: [{ property: '', reason: describeError(error) }] };
      }
    },
    diff: (olds: object) => ({ changes: !isDeepStrictEqual(pickOwn(olds), pickOwn(inputs)) }),
    /** Does the work of a resource that is new, or has changed. Returns what the engine records. */
    apply: async (olds?: object) => {
      await work.apply(google, inputs, olds);
      return inputs;
    },
  };
}
