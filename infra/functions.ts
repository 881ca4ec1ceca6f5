import * as pulumi from '@pulumi/pulumi';
import type { Build } from './build.ts';
import { CloudFunction, type DatabaseAccess } from './cloud-function.ts';
import { Component } from './component.ts';
import type { Database } from './database.ts';
import { Rollout } from './dynamic/dynamic-resources.ts';
import type { ExportBucket } from './export-bucket.ts';
import { type FunctionName, type FunctionPlan, planFunctions } from './function-plan.ts';
import { type SecretVariable, secretVariables, toVariables } from './function-variables.ts';
import type { Iap } from './iap.ts';
import type { Identities } from './identities.ts';
import { Secret } from './secret.ts';
import type { Settings } from './settings.ts';

export type FunctionsArgs = {
  readonly settings: Settings;
  readonly build: Build;
  readonly identities: Identities;
  /** Undefined: functions connect by URL. */
  readonly database: Database | undefined;
  /** Functions wait for these: they migrate the schema and grant its roles. */
  readonly migrations: readonly pulumi.Resource[];
  readonly continueTopic: pulumi.Input<string>;
  /** Undefined: Cloud Run authenticates the users of the console. */
  readonly iap: Iap | undefined;
  /** Undefined: the archive is not exported. */
  readonly exportBucket: ExportBucket | undefined;
};

/** Every function of the plan, and the secrets that they share. */
export class Functions extends Component {
  /** URLs by function name. */
  readonly urls: Readonly<Record<string, pulumi.Output<string>>>;
  /** The functions that deliver events. */
  readonly delivering: readonly CloudFunction[];
  /**
   * The functions that believe tokens which Cloud Run has verified, while its IAM policy keeps them private.
   */
  readonly trusting: readonly CloudFunction[];
  readonly #byName = new Map<FunctionName, CloudFunction>();

  constructor(name: string, args: FunctionsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Functions', name, opts);
    const { settings } = args;
    const plans = planFunctions(settings);
    const values = toVariables(settings);
    const shared = new Map<SecretVariable, Secret>();
    for (const variable of secretVariables) {
      const value = values[variable];
      const isRead = plans.some(({ variables }) => variables.includes(variable));
      if (value && isRead) shared.set(variable, this.#hide(settings, variable, value));
    }
    for (const plan of plans) this.#byName.set(plan.name, this.#deploy(plan, args, shared));
    const all = [...this.#byName.values()];
    const deployments = pulumi
      .all(all.map(({ service, hash }) => pulumi.all([service, hash])))
      .apply((pairs) => Object.fromEntries(pairs));
    new Rollout(`${name}-rollout`, { deployments, timeoutSeconds: 120 }, { parent: this });
    this.urls = Object.fromEntries(all.map(({ plan, url }) => [plan.name, url]));
    this.trusting = all.filter(({ plan }) => plan.variables.includes('CLOUD_RUN_IAM'));
    this.delivering = all.filter(({ plan }) => plan.isDelivering);
  }

  /** Throws if the plan has no function of this name. */
  get(name: FunctionName): CloudFunction {
    const found = this.#byName.get(name);
    if (!found) throw new Error(`The plan has no function ${name}.`);
    return found;
  }

  #deploy(
    plan: FunctionPlan,
    args: FunctionsArgs,
    shared: ReadonlyMap<SecretVariable, Secret>,
  ): CloudFunction {
    const { settings, build, identities } = args;
    const { project, region, privateNetwork: network, privateSubnetwork: subnetwork } = settings;
    const { grantDelaySeconds } = settings;
    const service = `${settings.name}-${plan.name}`;
    const values = {
      ...toVariables(settings),
      ENVIRONMENT_NAME: settings.environmentName || pulumi.getStack(),
      CONTINUE_TOPIC: args.continueTopic,
      EXPORT_BUCKET: args.exportBucket?.bucket ?? '',
      CLOUD_RUN_IAM: `projects/${project}/locations/${region}/services/${service}`,
      IAP_AUDIENCE: args.iap?.audienceOf(region, service) ?? '',
    };
    return new CloudFunction(
      service,
      {
        project,
        region,
        plan,
        build,
        identity: identities.get(plan.name),
        access: this.#access(plan, args),
        variables: pickPlain(plan, values),
        secrets: Object.fromEntries([...shared].filter(([variable]) => plan.variables.includes(variable))),
        grantDelaySeconds,
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

/** Selects the variables of a plan, without secret and empty ones. */
function pickPlain({ variables }: FunctionPlan, values: Readonly<Record<string, pulumi.Input<string>>>) {
  const names: readonly string[] = variables;
  const secret: readonly string[] = secretVariables;
  const plain = Object.entries(values).filter(([name]) => names.includes(name) && !secret.includes(name));
  return Object.fromEntries(plain.filter(([, value]) => value !== ''));
}
