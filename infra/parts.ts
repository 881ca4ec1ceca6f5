import * as projects from '@pulumi/gcp/projects/index.js';
import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as storage from '@pulumi/gcp/storage/index.js';
import * as pulumi from '@pulumi/pulumi';
import { hashMigrations } from '../migrations/hash-migrations.ts';
import { bucketArgs, makeBuild } from './build.ts';
import type { Bundle } from './bundle/build-bundle.ts';
import { type Database, openDatabase } from './database.ts';
import type { Deployment } from './deployment.ts';
import { Migrations } from './dynamic/dynamic-resources.ts';
import { type Identities, makeIdentities } from './identities.ts';
import { isOnCloudSql } from './settings.ts';

/** The inputs of the functions of a deployment. */
export type Parts = ReturnType<typeof makeParts>;

export function makeParts(deployment: Deployment, bundle: Bundle) {
  const { settings, make } = deployment;
  const { project, kmsKey, deletionProtection: protect } = settings;
  const build = makeBuild(deployment, bundle);
  /** Undefined: functions connect by URL. */
  const database = isOnCloudSql(settings) ? openDatabase(deployment) : undefined;
  const identities = makeIdentities(deployment, database);
  /** Functions wait for these: they migrate the schema and grant its roles. */
  const migrations = database ? [migrateDatabase(deployment, database, identities)] : [];
  const makeTopic = (what: string) => {
    const args = { project, name: `${settings.name}-${what}`, ...(kmsKey && { kmsKeyName: kmsKey }) };
    return make(pubsub.Topic, what, args, { protect });
  };
  const topics = { capture: makeTopic('capture'), continue: makeTopic('continue') };
  /** Undefined: the archive is not exported. */
  const exportBucket =
    settings.exportArchive || settings.exportBucket ? openExportBucket(deployment) : undefined;
  /** Undefined: Cloud Run authenticates the users of the console. */
  const iap = settings.iap ? openIap(deployment) : undefined;
  return { ...deployment, build, identities, database, migrations, topics, exportBucket, iap };
}

function migrateDatabase(
  { make }: Deployment,
  { connectionName: instance, databaseName, ipType }: Database,
  identities: Identities,
): pulumi.Resource {
  const users = pulumi.all(identities.users);
  const inputs = {
    instance,
    database: databaseName,
    ipType,
    users,
    user: users.apply(([deployer]) => deployer?.name ?? ''),
    logins: pulumi.output(identities.logins),
    migrations: hashMigrations(),
  };
  return make(Migrations, 'migrations', inputs, { dependsOn: identities.grants });
}

/** Opens Identity-Aware Proxy of a project: the agent that calls services for the users that it admits. */
function openIap({ settings: { project, region }, make }: Deployment) {
  const { email } = make(projects.ServiceIdentity, 'iap-agent', { project, service: 'iap.googleapis.com' });
  const number = email.apply(toProjectNumber);
  return {
    /** IAM member of the agent. */
    agent: pulumi.interpolate`serviceAccount:${email}`,
    /** Returns the audience of assertions for a service, which names the project by its number. */
    audienceOf: (service: string) =>
      pulumi.interpolate`/projects/${number}/locations/${region}/services/${service}`,
  };
}

function toProjectNumber(agent: string): string {
  const [, number] = /^service-(\d+)@/.exec(agent) ?? [];
  if (!number) throw new pulumi.RunError(`${agent}, the agent of IAP, has no project number.`);
  return number;
}

/** Opens the bucket to which a month of the archive is exported before it is dropped. */
function openExportBucket({ settings, make }: Deployment) {
  if (settings.exportBucket) return pulumi.output(settings.exportBucket);
  // Kept on destroy: the exports are the only copy.
  return make(storage.Bucket, 'exports-bucket', bucketArgs(settings), { retainOnDelete: true }).name;
}
