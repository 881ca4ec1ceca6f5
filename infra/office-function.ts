import * as cloudfunctions from '@pulumi/gcp/cloudfunctionsv2/index.js';
import * as cloudrun from '@pulumi/gcp/cloudrunv2/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Build } from './build.ts';
import type { Database } from './database.ts';
import type { FunctionPlan } from './function-plan.ts';
import type { Identity } from './identity.ts';
import type { Secret } from './secret.ts';

/** A database on Cloud SQL that it logs in to as itself, or a URL with a login in it; and what lets it in there. */
export type DatabaseAccess = ({ readonly database: Database } | { readonly url: Secret }) & {
  readonly after: readonly pulumi.Resource[];
};

export type OfficeFunctionArgs = {
  readonly project: string;
  readonly region: string;
  readonly plan: FunctionPlan;
  readonly build: Build;
  readonly identity: Identity;
  readonly access: DatabaseAccess;
  readonly variables: Readonly<Record<string, pulumi.Input<string>>>;
  readonly secrets: Readonly<Record<string, Secret>>;
  readonly privateNetwork?: { readonly network: string; readonly subnetwork: string } | undefined;
};

/** One function on Google Cloud: built from the office's bundle, run as itself, called by nobody who is not let in. */
export class OfficeFunction extends pulumi.ComponentResource {
  /** The address that tokens and ingress rules are about; at the one at cloudfunctions.net all callers are outside. */
  readonly url: pulumi.Output<string>;
  readonly name: pulumi.Output<string>;
  readonly plan: FunctionPlan;
  /** Whom it runs as, for IAM. */
  readonly member: pulumi.Output<string>;
  readonly #place: { readonly project: string; readonly location: string };

  constructor(name: string, args: OfficeFunctionArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Function', name, {}, opts);
    const { project, region, plan, build, identity } = args;
    const known = this.#tell(name, args);
    const made = new cloudfunctions.Function(
      `${name}-function`,
      {
        project,
        location: region,
        name,
        description: `Dead Letter Office: ${plan.name}`,
        buildConfig: toBuildConfig(args),
        serviceConfig: { ...toServiceConfig(args), ...known.config, serviceAccountEmail: identity.email },
      },
      { parent: this, dependsOn: [...build.grants, ...known.after] },
    );
    this.plan = plan;
    this.name = made.name;
    this.url = made.serviceConfig.apply((service) => toUrl(name, service));
    this.member = identity.member;
    this.#place = { project, location: region };
    this.registerOutputs({ url: this.url });
  }

  /** Lets `member` call this function and no other. */
  allow(name: string, member: pulumi.Input<string>): pulumi.Resource {
    return new cloudrun.ServiceIamMember(
      name,
      { ...this.#place, name: this.name, role: 'roles/run.invoker', member },
      { parent: this },
    );
  }

  /** Where its database is and what else it is told, in the open or as a secret, and what has to be there before. */
  #tell(name: string, { project, plan, identity, access, variables, ...args }: OfficeFunctionArgs): Known {
    const secrets = { ...args.secrets, ...('url' in access ? { DATABASE_URL: access.url } : {}) };
    const readable = Object.entries(secrets).map(([variable, secret]) =>
      secret.allow(`${name}-reads-${variable.toLowerCase().replaceAll('_', '-')}`, identity.member),
    );
    const config = {
      environmentVariables: {
        // Google's libraries ask the metadata server for it otherwise, and log lines name their trace with it.
        GOOGLE_CLOUD_PROJECT: project,
        DB_POOL_MAX: String(plan.pool),
        ...('database' in access ? locate(access.database, identity) : {}),
        ...variables,
      },
      secretEnvironmentVariables: Object.entries(secrets).map(([key, { secretId, version }]) => ({
        key,
        projectId: project,
        secret: secretId,
        version,
      })),
    };
    return { config, after: [...readable, ...access.after] };
  }
}

type Known = {
  readonly config: cloudfunctions.FunctionArgs['serviceConfig'] & object;
  readonly after: readonly pulumi.Resource[];
};

function locate(database: Database, { login }: Identity): Record<string, pulumi.Input<string>> {
  if (!login) throw new Error('Whoever is to use a database on Cloud SQL needs a login there.');
  return {
    INSTANCE_CONNECTION_NAME: database.connectionName,
    DB_NAME: database.databaseName,
    DB_USER: login.user,
    DB_IP_TYPE: database.ipType,
  };
}

function toBuildConfig({ plan, build }: OfficeFunctionArgs) {
  return {
    runtime: 'nodejs24',
    entryPoint: plan.entryPoint,
    serviceAccount: build.serviceAccount,
    dockerRepository: build.repository,
    // No generation: Google Cloud answers with that of its own copy, which would differ at every update.
    source: { storageSource: { bucket: build.bucket, object: build.object } },
  };
}

function toServiceConfig({ plan, privateNetwork }: OfficeFunctionArgs) {
  return {
    availableMemory: plan.memory,
    // Several requests at once need a whole one, and what follows from the memory is less.
    availableCpu: '1',
    timeoutSeconds: plan.timeoutSeconds,
    minInstanceCount: 0,
    maxInstanceCount: plan.instances,
    maxInstanceRequestConcurrency: plan.concurrency,
    ingressSettings: plan.ingress,
    ...(privateNetwork && {
      directVpcEgress: 'VPC_EGRESS_PRIVATE_RANGES_ONLY',
      directVpcNetworkInterfaces: [privateNetwork],
    }),
  };
}

function toUrl(name: string, service: { readonly uri: string } | undefined): string {
  if (!service?.uri) throw new Error(`Google Cloud did not say where ${name} can be reached.`);
  return service.uri;
}
