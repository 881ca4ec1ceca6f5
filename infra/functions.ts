import * as pulumi from '@pulumi/pulumi';
import type { Build } from './build.ts';
import type { Database } from './database.ts';
import type { ExportBucket } from './export-bucket.ts';
import { type FunctionName, type FunctionPlan, planFunctions } from './function-plan.ts';
import type { Identities } from './identities.ts';
import { type DatabaseAccess, OfficeFunction } from './office-function.ts';
import { type SecretVariable, secretVariables, toVariables } from './office-variables.ts';
import { Secret } from './secret.ts';
import type { Settings } from './settings.ts';

export type FunctionsArgs = {
  readonly settings: Settings;
  readonly build: Build;
  readonly identities: Identities;
  /** Without it functions find their databases by URL. */
  readonly database: Database | undefined;
  /** What functions wait for: it brings their schema up to date, and lets them in. */
  readonly migrations: readonly pulumi.Resource[];
  readonly continueTopic: pulumi.Input<string>;
  /** Where months of the archive are written to; without it they are not. */
  readonly exportBucket: ExportBucket | undefined;
};

/** Every function of the plan, with the secrets that they share. */
export class Functions extends pulumi.ComponentResource {
  /** The address of each. */
  readonly urls: Readonly<Record<string, pulumi.Output<string>>>;
  /** Those that send events on. */
  readonly delivering: readonly OfficeFunction[];
  readonly #byName = new Map<FunctionName, OfficeFunction>();

  constructor(name: string, args: FunctionsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Functions', name, {}, opts);
    const { settings } = args;
    const plans = planFunctions(settings);
    const shared = new Map(
      secretVariables
        .filter((variable) => plans.some(({ variables }) => variables.includes(variable)))
        .map((variable) => [variable, this.#hide(settings, variable, toVariables(settings)[variable])]),
    );
    for (const plan of plans) this.#byName.set(plan.name, this.#deploy(plan, args, shared));
    const all = [...this.#byName.values()];
    this.urls = Object.fromEntries(all.map(({ plan, url }) => [plan.name, url]));
    this.delivering = all.filter(({ plan }) => plan.isDelivering);
    this.registerOutputs({ urls: this.urls });
  }

  /** Throws where the plan has none of this name. */
  get(name: FunctionName): OfficeFunction {
    const found = this.#byName.get(name);
    if (!found) throw new Error(`There is no function ${name}.`);
    return found;
  }

  #deploy(
    plan: FunctionPlan,
    args: FunctionsArgs,
    shared: ReadonlyMap<SecretVariable, Secret>,
  ): OfficeFunction {
    const { settings, build, identities } = args;
    const { project, region, privateNetwork: network, privateSubnetwork: subnetwork } = settings;
    // Cloud Run asks IAM about each caller, so that functions may believe what it lets through.
    const values = {
      ...toVariables(settings),
      CONTINUE_TOPIC: args.continueTopic,
      EXPORT_BUCKET: args.exportBucket?.bucket ?? '',
      CLOUD_RUN_IAM: 'true',
    };
    const told = plan.variables.filter((variable) => !isSecret(variable));
    return new OfficeFunction(
      `${settings.name}-${plan.name}`,
      {
        project,
        region,
        plan,
        build,
        identity: identities.get(plan.name),
        access: this.#access(plan, args),
        variables: pick(values, told),
        secrets: Object.fromEntries([...shared].filter(([variable]) => plan.variables.includes(variable))),
        privateNetwork: network ? { network, subnetwork } : undefined,
      },
      { parent: this },
    );
  }

  #access(plan: FunctionPlan, { settings, database, migrations }: FunctionsArgs): DatabaseAccess {
    if (database) return { database, after: migrations };
    const url = this.#hide(settings, `${plan.name}-database`, settings.databaseUrls[plan.name] ?? '');
    return { url, after: migrations };
  }

  #hide({ project, region, name }: Settings, what: string, value: string): Secret {
    const secretId = `${name}-${what.toLowerCase().replaceAll('_', '-')}`;
    return new Secret(secretId, { project, region, value }, { parent: this });
  }
}

function isSecret(variable: string): variable is SecretVariable {
  return secretVariables.some((each) => each === variable);
}

/** What is empty says nothing. */
function pick(
  values: Readonly<Record<string, pulumi.Input<string>>>,
  names: readonly string[],
): Record<string, pulumi.Input<string>> {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => names.includes(name) && value !== ''),
  );
}
