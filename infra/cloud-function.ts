import { createHash } from 'node:crypto';
import * as cloudfunctions from '@pulumi/gcp/cloudfunctionsv2/index.js';
import * as cloudrun from '@pulumi/gcp/cloudrunv2/index.js';
import * as secretmanager from '@pulumi/gcp/secretmanager/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Account } from './account.ts';
import type { Deployment } from './deployment.ts';
import type { FunctionPlan } from './function-plan.ts';
import type { Parts } from './parts.ts';
import { deploymentVariable } from './rollout/verify-rollout.ts';
import type { Settings } from './settings.ts';

type CloudFunctionArgs = ReturnType<typeof configureFunction> & {
  /** The number of the attempt to build it, as text. */
  readonly attempt: pulumi.Input<string>;
  /** The options of functions, and what they wait for. */
  readonly options: pulumi.CustomResourceOptions;
};

export type CloudFunction = ReturnType<typeof makeFunction>;

/** Makes a function with a service account of its own, and without a caller until `allow` adds one. */
export function makeFunction({ settings, make }: Deployment, args: CloudFunctionArgs) {
  const { plan, hash, attempt } = args;
  const { project, region: location, kmsKey } = settings;
  const name = `${settings.name}-${plan.name}`;
  const wanted = {
    project,
    location,
    name,
    description: `Dead Letter Office: ${plan.name}`,
    ...(kmsKey && { kmsKeyName: kmsKey }),
    buildConfig: { ...args.buildConfig, environmentVariables: { BUILD_ATTEMPT: attempt } },
    serviceConfig: {
      ...args.serviceConfig,
      environmentVariables: { ...args.variables, [deploymentVariable]: hash },
    },
  };
  // Its name is given: a replacement made first would be rejected.
  const options = { ...args.options, deleteBeforeReplace: true };
  const made = make(cloudfunctions.Function, `${plan.name}-function`, wanted, options);
  const grants: { readonly role: string; readonly member: pulumi.Input<string> }[] = [];
  return {
    plan,
    /** A hash of what the service serves once the function is deployed. */
    hash,
    /** Its service account. */
    identity: args.identity,
    /** The run.app URL: at cloudfunctions.net internal ingress rejects Pub/Sub and Scheduler. */
    url: made.serviceConfig.apply((service) => service?.uri ?? missUrl(name)),
    /** Full name of its Cloud Run service, known once it exists. */
    service: pulumi.interpolate`projects/${project}/locations/${location}/services/${made.name}`,
    /** Members that may call it, or have another role on its Cloud Run service. */
    grants,
    /** Allows `member` to call this function only, or grants it another role on its Cloud Run service. */
    allow: (grant: string, member: pulumi.Input<string>, role = 'roles/run.invoker'): pulumi.Resource => {
      grants.push({ role, member });
      const service = { project: made.project, location: made.location, name: made.name };
      return make(cloudrun.ServiceIamMember, grant, { ...service, role, member });
    },
  };
}

/** A function whose first build failed has no URL. It is unknown in a preview: the update builds it again. */
function missUrl(name: string): string {
  if (pulumi.runtime.isDryRun()) return pulumi.unknown as unknown as string;
  throw new pulumi.RunError(`${name} has no URL: it was never built. Run this command again.`);
}

type FunctionConfigArgs = Pick<Parts, 'settings' | 'build'> & {
  readonly plan: FunctionPlan;
  readonly identity: Account;
  readonly variables: Readonly<Record<string, pulumi.Input<string>>>;
  readonly secrets: Readonly<Record<string, Secret>>;
};

/** Returns the source and the configuration of a function, with a hash of both. */
export function configureFunction(args: FunctionConfigArgs) {
  const { settings, plan, identity, variables } = args;
  const buildConfig = toBuildConfig(args);
  const serviceConfig = {
    ...toServiceConfig(plan, settings),
    secretEnvironmentVariables: Object.entries(args.secrets).map(([key, { secretId, version }]) => ({
      key,
      projectId: settings.project,
      secret: secretId,
      version,
    })),
    serviceAccountEmail: identity.email,
  };
  const hash = pulumi
    .output({ buildConfig, serviceConfig, variables })
    .apply((known) => createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 32));
  return { plan, identity, buildConfig, serviceConfig, variables, hash };
}

function toBuildConfig({ plan, build, settings: { workerPool } }: FunctionConfigArgs) {
  return {
    runtime: 'nodejs24',
    entryPoint: plan.entryPoint,
    serviceAccount: build.account.name,
    dockerRepository: build.repository,
    ...(workerPool && { workerPool }),
    // No generation: Google Cloud returns that of its own copy, which would differ in every update.
    source: { storageSource: { bucket: build.bucket, object: build.object } },
  };
}

function toServiceConfig(plan: FunctionPlan, { privateNetwork: network, privateSubnetwork }: Settings) {
  return {
    availableMemory: plan.memory,
    // Concurrent requests need a whole CPU; the default for this memory is less.
    availableCpu: '1',
    timeoutSeconds: plan.timeoutSeconds,
    minInstanceCount: 0,
    maxInstanceCount: plan.instances,
    maxInstanceRequestConcurrency: plan.concurrency,
    ingressSettings: plan.ingress,
    ...(network && {
      directVpcEgress: 'VPC_EGRESS_PRIVATE_RANGES_ONLY',
      directVpcNetworkInterfaces: [{ network, subnetwork: privateSubnetwork }],
    }),
  };
}

/** A variable of functions that is kept in Secret Manager and not shown in their configuration. */
export type Secret = ReturnType<typeof makeSecret>;

export function makeSecret({ settings, make }: Deployment, name: string, value: pulumi.Input<string>) {
  const { project, region: location, kmsKey } = settings;
  const secretId = `${settings.name}-${name}`;
  const encryption = kmsKey && { customerManagedEncryption: { kmsKeyName: kmsKey } };
  const replication = { userManaged: { replicas: [{ location, ...encryption }] } };
  const secret = make(secretmanager.Secret, `${name}-secret`, { project, secretId, replication });
  const args = { secret: secret.id, secretData: pulumi.secret(value) };
  // Its number: with "latest", running instances would keep the old value.
  const { version } = make(secretmanager.SecretVersion, `${name}-version`, args);
  return { secretId: secret.secretId, version };
}
