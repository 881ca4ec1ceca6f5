import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import type { MigrationsInputs } from '../cloud-sql.ts';
import type { OriginInputs } from '../keep-origin.ts';
import type { BuildAttemptsInputs, RolloutInputs } from '../rollout/verify-rollout.ts';
import type { Kind, PropagationInputs } from './dynamic-code.ts';

type InputsOf<Inputs> = { readonly [Field in keyof Inputs]: pulumi.Input<Inputs[Field]> };

type Resource<Inputs, Output extends keyof Inputs> = new (
  name: string,
  inputs: InputsOf<Inputs>,
  opts?: pulumi.CustomResourceOptions,
) => pulumi.dynamic.Resource & {
  readonly [Field in Output]: pulumi.Output<NonNullable<Inputs[Field]>>;
};

/** Returns the class of a kind of resources whose work is done by dynamic-code.ts. */
function dynamicResource<Inputs, Output extends keyof Inputs = never>(kind: Kind) {
  return class extends pulumi.dynamic.Resource {
    constructor(name: string, inputs: InputsOf<Inputs>, opts?: pulumi.CustomResourceOptions) {
      const given = { ...inputs, kind, code, provider: describeProvider(opts?.parent) };
      super(provider, name, given, opts, 'dead-letter-office', kind);
    }
  } as Resource<Inputs, Output>;
}

/** The arguments of a provider for Google Cloud that set its identity and its endpoints. */
const options = [
  'accessToken',
  'credentials',
  'externalCredentials',
  'impersonateServiceAccount',
  'impersonateServiceAccountDelegates',
  'billingProject',
  'userProjectOverride',
  'universeDomain',
  'cloudRunV2CustomEndpoint',
  'sqlCustomEndpoint',
] as const;

/**
 * Returns the configuration of the provider that `parent` passes on to its resources, by `gcp:KEY`, so that
 * the dynamic resources use it, too; undefined for the default provider, which has that of the stack. One
 * output for each: a preview does not know those that are not given.
 */
function describeProvider(
  parent: pulumi.Resource | undefined,
): Readonly<Record<string, pulumi.Output<unknown>>> | undefined {
  const provider = parent?.getProvider('gcp:projects/service:Service');
  if (!provider) return undefined;
  // The provider has every option as an output; its types have the texts only.
  const given = provider as unknown as Readonly<Record<string, pulumi.Output<unknown> | undefined>>;
  return Object.fromEntries(options.map((key) => [`gcp:${key}`, pulumi.secret(given[key])]));
}

/** Seen from the folder of the program: equal on every machine. A package has JavaScript. */
const code = path.relative(
  '',
  path.join(import.meta.dirname, `dynamic-code${path.extname(import.meta.filename)}`),
);

type Work = typeof import('./dynamic-code.ts');
type Inputs = { readonly kind: Kind; readonly code: string };

// Pulumi serializes these functions into its state and runs them in another process, in the folder of the
// program. Imports of this module are missing there, so the functions load the code by its path from that
// folder.

const stack: { config?: pulumi.dynamic.Config } = {};
const readConfig = (key: string) => stack.config?.get(key);

const load = async (inputs: Inputs): Promise<Work> => {
  const { resolve } = await import('node:path');
  const { pathToFileURL } = await import('node:url');
  return await import(pathToFileURL(resolve(inputs.code)).href);
};

const provider: pulumi.dynamic.ResourceProvider = {
  configure: async ({ config }) => {
    stack.config = config;
  },
  check: async (olds, news) => ({ inputs: await (await load(news)).check(readConfig, olds, news) }),
  diff: async (_id, olds, news) => (await load(news)).diff(readConfig, olds, news),
  create: async (inputs) => (await load(inputs)).create(readConfig, inputs),
  update: async (_id, olds, news) => ({ outs: await (await load(news)).update(readConfig, olds, news) }),
};

/** Settings of creation alone. Everything waits for it: a change is refused before anything is made. */
export const Origin = dynamicResource<OriginInputs>('Origin');

/** A database on Cloud SQL with its logins and its schema. Resources that need the schema depend on it. */
export const Migrations = dynamicResource<MigrationsInputs>('Migrations');

/** Time for new grants to become effective. */
export const Propagation = dynamicResource<PropagationInputs>('Propagation');

/** The number of the attempt to build each function, as text, by service. */
export const BuildAttempts = dynamicResource<BuildAttemptsInputs, 'attempts'>('BuildAttempts');

/** The last one of an update: functions serve what was deployed, to those who may call them. */
export const Rollout = dynamicResource<RolloutInputs>('Rollout');
