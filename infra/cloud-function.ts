import * as cloudfunctions from '@pulumi/gcp/cloudfunctionsv2/index.js';
import * as cloudrun from '@pulumi/gcp/cloudrunv2/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Build } from './build.ts';
import { Component } from './component.ts';
import type { Database } from './database.ts';
import { BuildAttempt, Propagation } from './dynamic/dynamic-resources.ts';
import type { FunctionPlan } from './function-plan.ts';
import type { Identity } from './identity.ts';
import { findUrl } from './rollout/find-url.ts';
import { hashDeployment } from './rollout/hash-deployment.ts';
import { deploymentVariable } from './rollout/read-served.ts';
import type { Secret } from './secret.ts';

/** A database on Cloud SQL for an IAM login, or a URL that contains the login; `after` grants the access. */
export type DatabaseAccess = ({ readonly database: Database } | { readonly url: Secret }) & {
  readonly after: readonly pulumi.Resource[];
};

export type CloudFunctionArgs = {
  readonly project: string;
  readonly region: string;
  readonly plan: FunctionPlan;
  readonly build: Build;
  readonly identity: Identity;
  readonly access: DatabaseAccess;
  readonly variables: Readonly<Record<string, pulumi.Input<string>>>;
  readonly secrets: Readonly<Record<string, Secret>>;
  /** How long new grants take to become effective. */
  readonly grantDelaySeconds: number;
  readonly privateNetwork?: { readonly network: string; readonly subnetwork: string } | undefined;
};

/** One function on Google Cloud, with a service account of its own and no caller until `allow` adds one. */
export class CloudFunction extends Component {
  /**
   * The run.app URL, the audience of tokens. At cloudfunctions.net internal ingress rejects Pub/Sub and
   * Scheduler.
   */
  readonly url: pulumi.Output<string>;
  readonly plan: FunctionPlan;
  /** IAM member of its service account. */
  readonly member: pulumi.Output<string>;
  /** Full name of its Cloud Run service, known once it exists. */
  readonly service: pulumi.Output<string>;
  /** A hash of what the service serves once the function is deployed. */
  readonly hash: pulumi.Output<string>;
  readonly #service: {
    readonly project: string;
    readonly location: string;
    readonly name: pulumi.Output<string>;
  };

  constructor(name: string, args: CloudFunctionArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Function', name, opts);
    const { project, region: location, plan, build, identity, access } = args;
    const secrets = { ...args.secrets, ...('url' in access && { DATABASE_URL: access.url }) };
    const readable = Object.entries(secrets).map(([variable, secret]) =>
      secret.allow(`${name}-reads-${variable.toLowerCase().replaceAll('_', '-')}`, identity.member),
    );
    const effective = readable.length > 0 ? [this.#awaitGrants(readable, args)] : [];
    const after = [...build.grants, ...readable, ...effective, ...access.after];
    const variables = toVariables(args);
    const buildConfig = toBuildConfig(args);
    const serviceConfig = {
      ...toServiceConfig(args),
      secretEnvironmentVariables: Object.entries(secrets).map(([key, { secretId, version }]) => ({
        key,
        projectId: project,
        secret: secretId,
        version,
      })),
      serviceAccountEmail: identity.email,
    };
    const hash = hashDeployment({ buildConfig, serviceConfig, variables });
    const service = `projects/${project}/locations/${location}/services/${name}`;
    const { attempt } = new BuildAttempt(
      `${name}-build`,
      { service, deployment: hash, attempt: undefined },
      { parent: this, dependsOn: after },
    );
    const made = new cloudfunctions.Function(
      `${name}-function`,
      {
        project,
        location,
        name,
        description: `Dead Letter Office: ${plan.name}`,
        buildConfig: { ...buildConfig, environmentVariables: { BUILD_ATTEMPT: attempt } },
        serviceConfig: {
          ...serviceConfig,
          environmentVariables: { ...variables, [deploymentVariable]: hash },
        },
      },
      // Its name is given: a replacement made first would be rejected.
      { ...build.options, parent: this, dependsOn: after, deleteBeforeReplace: true },
    );
    this.plan = plan;
    this.url = pulumi
      .all([made.urn, made.serviceConfig])
      .apply(([urn, service]) => findUrl({ name, urn, uri: service?.uri }));
    this.hash = hash;
    this.member = identity.member;
    this.service = pulumi.interpolate`projects/${project}/locations/${location}/services/${made.name}`;
    this.#service = { project, location, name: made.name };
  }

  /** A function does not start as long as it cannot read its secrets. */
  #awaitGrants(grants: readonly pulumi.CustomResource[], args: CloudFunctionArgs): pulumi.Resource {
    const { identity, grantDelaySeconds: seconds } = args;
    const awaited = pulumi.all([...grants.map(({ id }) => id), identity.uniqueId]);
    return this.make(Propagation, 'propagation', { grants: awaited, seconds });
  }

  /** Allows `member` to call this function only, or grants it another role on its Cloud Run service. */
  allow(name: string, member: pulumi.Input<string>, role = 'roles/run.invoker'): pulumi.Resource {
    return new cloudrun.ServiceIamMember(name, { ...this.#service, role, member }, { parent: this });
  }
}

function toVariables({ project, plan, identity, access, variables }: CloudFunctionArgs) {
  return {
    // Saves Google's libraries a request to the metadata server; log lines use it in their trace.
    GOOGLE_CLOUD_PROJECT: project,
    DB_POOL_MAX: String(plan.pool),
    ...('database' in access && locate(access.database, identity)),
    ...variables,
  };
}

function locate(database: Database, { login }: Identity): Record<string, pulumi.Input<string>> {
  if (!login) throw new Error('Missing database login for a function that uses Cloud SQL.');
  return {
    INSTANCE_CONNECTION_NAME: database.connectionName,
    DB_NAME: database.databaseName,
    DB_USER: login.user,
    DB_IP_TYPE: database.ipType,
  };
}

function toBuildConfig({ plan, build }: CloudFunctionArgs) {
  return {
    runtime: 'nodejs24',
    entryPoint: plan.entryPoint,
    serviceAccount: build.serviceAccount,
    dockerRepository: build.repository,
    // No generation: Google Cloud returns that of its own copy, which would differ in every update.
    source: { storageSource: { bucket: build.bucket, object: build.object } },
  };
}

function toServiceConfig({ plan, privateNetwork }: CloudFunctionArgs) {
  return {
    availableMemory: plan.memory,
    // Concurrent requests need a whole CPU; the default for this memory is less.
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
