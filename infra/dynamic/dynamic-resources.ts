import path from 'node:path';
import * as organizations from '@pulumi/gcp/organizations/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { MigrationsInputs } from '../cloud-sql.ts';
import { optionNames } from '../google-api.ts';
import type { OriginInputs } from '../keep-origin.ts';
import type { BuildAttemptsInputs, RolloutInputs } from '../rollout/verify-rollout.ts';
import type { Kind, PropagationInputs } from './dynamic-code.ts';
import type { Attempts } from './dynamic-kind.ts';

type Fields<Of> = { readonly [Field in keyof Of]: pulumi.Input<Of[Field]> };
type InputsOf<Inputs> = {
  readonly [Field in keyof Inputs]: pulumi.Input<Inputs[Field]> | Fields<Inputs[Field]>;
};

/** Returns the class of a kind of resources whose work is done by dynamic-code.ts. */
function dynamicResource<Inputs>(kind: Kind) {
  return class extends pulumi.dynamic.Resource {
    declare readonly attempts: pulumi.Output<Attempts>;

    constructor(name: string, inputs: InputsOf<Inputs>, opts: pulumi.CustomResourceOptions = {}) {
      // Undefined here, the attempts are an output.
      const props = { ...inputs, kind, code, attempts: undefined, ...openGoogle(opts) };
      super(provider, name, props, opts, 'dead-letter-office', kind);
    }
  };
}

/**
 * Returns a token of the provider of these options, as soon as the resources that they depend on are there: it
 * may be valid for minutes only. Beside it the options of the provider that decide where requests go, one
 * output for each: a preview does not know those that an explicit provider was not given.
 */
function openGoogle(opts: pulumi.CustomResourceOptions) {
  const { accessToken } = organizations.getClientConfigOutput(
    pulumi.invokeOutputOptionsFromResourceOptions(opts),
  );
  const explicit = opts.parent?.getProvider('gcp:projects/service:Service');
  // It has every option as an output; its types have the texts only.
  const given = explicit as unknown as Readonly<Record<string, pulumi.Output<unknown> | undefined>>;
  const ofStack = new pulumi.Config('gcp');
  const options = optionNames.map((name) => [name, explicit ? given[name] : ofStack.get(name)]);
  return { accessToken: pulumi.secret(accessToken), options: Object.fromEntries(options) };
}

/** Seen from the folder of the program: equal on every machine. A package has JavaScript. */
const code = path.relative(
  '',
  path.join(import.meta.dirname, `dynamic-code${path.extname(import.meta.filename)}`),
);

type Inputs = Parameters<typeof import('./dynamic-code.ts')['openResource']>[0] & { readonly code: string };

// Pulumi serializes these functions into its state and runs them in another process, in the folder of the
// program. Imports of this module are missing there, so the functions load the code by its path from that
// folder.
const open = async (inputs: Inputs) => {
  const { resolve } = await import('node:path');
  const { pathToFileURL } = await import('node:url');
  const { openResource }: typeof import('./dynamic-code.ts') = await import(
    pathToFileURL(resolve(inputs.code)).href
  );
  return openResource(inputs);
};

const provider: pulumi.dynamic.ResourceProvider = {
  check: async (olds, news) => (await open(news)).check(olds),
  diff: async (_id, olds, news) => (await open(news)).diff(olds),
  create: async (inputs) => ({ id: inputs.kind, outs: await (await open(inputs)).apply() }),
  update: async (_id, olds, news) => ({ outs: await (await open(news)).apply(olds) }),
};

/** Settings of creation alone. Everything waits for it: a change is refused before anything is made. */
export const Origin = dynamicResource<OriginInputs>('Origin');

/** A database on Cloud SQL with its logins and its schema. Resources that need the schema depend on it. */
export const Migrations = dynamicResource<MigrationsInputs>('Migrations');

/** Time for new grants to become effective. */
export const Propagation = dynamicResource<PropagationInputs>('Propagation');

/** The attempts to build each function. */
export const BuildAttempts = dynamicResource<BuildAttemptsInputs>('BuildAttempts');

/** The last one of an update: functions serve what was deployed, to those who may call them. */
export const Rollout = dynamicResource<RolloutInputs>('Rollout');
