import * as secretmanager from '@pulumi/gcp/secretmanager/index.js';
import * as pulumi from '@pulumi/pulumi';
import { secretVariables, type VariableName } from '../shared/environment/environment.ts';
import {
  CloudFunction,
  configureFunction,
  type FunctionConfig,
  makeSecret,
  type Secret,
} from './cloud-function.ts';
import { Component } from './component.ts';
import { BuildAttempts, Propagation } from './dynamic/dynamic-resources.ts';
import { type FunctionName, type FunctionPlan, planFunctions, toVariables } from './function-plan.ts';
import type { Parts } from './parts.ts';

/** The inputs of the callers of functions. */
export type CallersArgs = Pick<Parts, 'settings' | 'topics' | 'iap' | 'exportBucket'> & {
  readonly functions: Functions;
};

/** Every function of the plan, and the secrets that they share. */
export class Functions extends Component {
  readonly all: readonly CloudFunction[];
  readonly #args: Parts;
  readonly #shared = new Map<VariableName, Secret>();
  /** Grants to read secrets: a function does not start without them. */
  readonly #grants: pulumi.CustomResource[] = [];

  constructor(name: string, args: Parts, opts?: pulumi.ComponentResourceOptions) {
    super('Functions', name, opts);
    this.#args = args;
    const { settings, build, migrations } = args;
    const plans = planFunctions(settings);
    const values = toVariables(settings);
    for (const variable of secretVariables) {
      const value = values[variable];
      const isRead = plans.some(({ variables }) => variables.includes(variable));
      if (value && isRead) this.#shared.set(variable, this.#hide(variable, value));
    }
    const configs = plans.map((plan) => this.#configure(plan));
    const deployments = configs.map(({ plan, hash }) => [plan.name, hash] as const);
    const { attempts } = this.make(BuildAttempts, 'builds', {
      prefix: this.#service(''),
      deployments: pulumi.output(Object.fromEntries(deployments)),
      attempts: undefined,
    });
    const after = [...build.grants, ...this.#grants, this.#awaitGrants(), ...migrations];
    const options = { ...build.options, dependsOn: after };
    this.all = configs.map((config) => {
      const attempt = attempts.apply((known) => known[config.plan.name] ?? '1');
      const own = { ...settings, ...config, attempt, options };
      return new CloudFunction(`${settings.name}-${config.plan.name}`, own, { parent: this });
    });
  }

  /** Those that deliver to the targets of routes. */
  get delivering(): readonly CloudFunction[] {
    return this.all.filter(({ plan }) => plan.isDelivering);
  }

  /** URLs by function name. */
  get urls(): Readonly<Record<string, pulumi.Output<string>>> {
    return Object.fromEntries(this.all.map(({ plan, url }) => [plan.name, url]));
  }

  /** Throws if the plan has no function of this name. */
  get(name: FunctionName): CloudFunction {
    const found = this.all.find(({ plan }) => plan.name === name);
    if (!found) throw new Error(`The plan has no function ${name}.`);
    return found;
  }

  #service(name: string): pulumi.Output<string> {
    const { project, region, name: prefix } = this.#args.settings;
    return pulumi.interpolate`projects/${project}/locations/${region}/services/${prefix}-${name}`;
  }

  #configure(plan: FunctionPlan): FunctionConfig {
    const { settings, build, identities, database } = this.#args;
    const identity = identities.get(plan.name);
    const { member } = identity;
    const secrets = Object.fromEntries(
      [...this.#shared].filter(([variable]) => plan.variables.includes(variable)),
    ) as Record<string, Secret>;
    if (!database) {
      secrets.DATABASE_URL = this.#hide(`${plan.name}-database`, settings.databaseUrls[plan.name] ?? '');
    }
    for (const [variable, secret] of Object.entries(secrets)) {
      const grant = `${settings.name}-${plan.name}-reads-${slugOfVariable(variable)}`;
      const args = { secretId: secret.secretId, role: 'roles/secretmanager.secretAccessor', member };
      this.#grants.push(new secretmanager.SecretIamMember(grant, args, { parent: this }));
    }
    const variables = pickPlain(plan, this.#listVariables(plan));
    return configureFunction({ settings, plan, build, identity, database, variables, secrets });
  }

  #listVariables(plan: FunctionPlan): Readonly<Record<string, pulumi.Input<string>>> {
    const { settings, topics, exportBucket, iap } = this.#args;
    return {
      ...toVariables(settings),
      ENVIRONMENT_NAME: settings.environmentName || pulumi.getStack(),
      CONTINUE_TOPIC: topics.continue.id,
      EXPORT_BUCKET: exportBucket ?? '',
      CLOUD_RUN_IAM: this.#service(plan.name),
      IAP_AUDIENCE: iap?.audienceOf(`${settings.name}-${plan.name}`) ?? '',
    };
  }

  #awaitGrants(): pulumi.Resource {
    const { build, identities, settings } = this.#args;
    const accounts = [build.account, ...planFunctions(settings).map(({ name }) => identities.get(name))];
    const granted = [...build.grants, ...this.#grants].map(({ id }) => id);
    const grants = pulumi.all([...granted, ...accounts.map(({ uniqueId }) => uniqueId)]);
    return this.make(Propagation, 'propagation', { grants, seconds: settings.grantDelaySeconds });
  }

  #hide(what: string, value: pulumi.Input<string>): Secret {
    const { settings } = this.#args;
    return makeSecret(`${settings.name}-${slugOfVariable(what)}`, { ...settings, value }, { parent: this });
  }
}

const slugOfVariable = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** Selects the variables of a plan, without secret and empty ones. */
function pickPlain({ variables }: FunctionPlan, values: Readonly<Record<string, pulumi.Input<string>>>) {
  const plain: readonly string[] = variables.filter((each) => !secretVariables.includes(each));
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => plain.includes(name) && value !== ''),
  );
}
