import { createHash } from 'node:crypto';
import * as pulumi from '@pulumi/pulumi';
import type { Account } from './account.ts';
import type { Database } from './database.ts';
import type { FunctionPlan } from './function-plan.ts';
import type { Parts } from './parts.ts';
import type { Secret } from './secret.ts';
import type { Settings } from './settings.ts';

export type FunctionConfigArgs = Pick<Parts, 'settings' | 'build' | 'database'> & {
  readonly plan: FunctionPlan;
  readonly identity: Account;
  readonly variables: Readonly<Record<string, pulumi.Input<string>>>;
  readonly secrets: Readonly<Record<string, Secret>>;
};

/** The source and the configuration of a function, with a hash of both. */
export type FunctionConfig = ReturnType<typeof configureFunction>;

export function configureFunction(args: FunctionConfigArgs) {
  const { settings, plan, identity, database } = args;
  const variables: Record<string, pulumi.Input<string>> = {
    // Saves Google's libraries a request to the metadata server; log lines use it in their trace.
    GOOGLE_CLOUD_PROJECT: settings.project,
    DB_POOL_MAX: String(plan.pool),
    ...(database && locate(database, identity)),
    ...args.variables,
  };
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
  return { buildConfig, serviceConfig, variables, hash };
}

function locate(database: Database, { email }: Account): Record<string, pulumi.Input<string>> {
  return {
    INSTANCE_CONNECTION_NAME: database.connectionName,
    DB_NAME: database.databaseName,
    DB_USER: email.apply((known) => known.replace(/\.gserviceaccount\.com$/, '')),
    DB_IP_TYPE: database.ipType,
  };
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
