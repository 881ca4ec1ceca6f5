import * as projects from '@pulumi/gcp/projects/index.js';
import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as storage from '@pulumi/gcp/storage/index.js';
import * as pulumi from '@pulumi/pulumi';
import { hashMigrations } from '../migrations/hash-migrations.ts';
import { bucketArgs, makeBuild } from './build.ts';
import type { Bundle } from './bundle/build-bundle.ts';
import { type Database, openDatabase } from './database.ts';
import { Migrations } from './dynamic/dynamic-resources.ts';
import { type Identities, makeIdentities } from './identities.ts';
import type { Settings } from './settings.ts';

/** The inputs of the functions of a deployment. */
export type Parts = ReturnType<typeof makeParts>;

export function makeParts(settings: Settings, bundle: Bundle, inside: pulumi.ComponentResourceOptions) {
  const { name: prefix, project, kmsKey, deletionProtection: protect } = settings;
  const build = makeBuild(`${prefix}-build`, { settings, bundle }, inside);
  /** Undefined: functions connect by URL. */
  const database = isOnCloudSql(settings) ? openDatabase(`${prefix}-database`, settings, inside) : undefined;
  const identities = makeIdentities(`${prefix}-identities`, { settings, database }, inside);
  /** Functions wait for these: they migrate the schema and grant its roles. */
  const migrations = database ? [migrateDatabase(prefix, database, identities, inside)] : [];
  const makeTopic = (what: string) => {
    const name = `${prefix}-${what}`;
    const args = { project, name, ...(kmsKey && { kmsKeyName: kmsKey }) };
    return new pubsub.Topic(name, args, { ...inside, protect });
  };
  const topics = { capture: makeTopic('capture'), continue: makeTopic('continue') };
  /** Undefined: the archive is not exported. */
  const exportBucket =
    settings.exportArchive || settings.exportBucket ? openExportBucket(settings, inside) : undefined;
  /** Undefined: Cloud Run authenticates the users of the console. */
  const iap = settings.iap ? openIap(settings, inside) : undefined;
  return { settings, build, identities, database, migrations, topics, exportBucket, iap };
}

/** Whether `databaseUrls` does not locate a database outside of Cloud SQL, which the operator migrates. */
export function isOnCloudSql({ databaseUrls }: Settings): boolean {
  return Object.keys(databaseUrls).length === 0;
}

function migrateDatabase(
  prefix: string,
  { connectionName: instance, databaseName, ipType }: Database,
  identities: Identities,
  opts: pulumi.ComponentResourceOptions,
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
  return new Migrations(`${prefix}-migrations`, inputs, { ...opts, dependsOn: identities.component });
}

/** Opens Identity-Aware Proxy of a project: the agent that calls services for the users that it admits. */
function openIap({ project, region, name }: Settings, opts: pulumi.CustomResourceOptions) {
  const args = { project, service: 'iap.googleapis.com' };
  const { email } = new projects.ServiceIdentity(`${name}-iap-agent`, args, opts);
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
function openExportBucket(settings: Settings, opts: pulumi.CustomResourceOptions) {
  const { name, exportBucket } = settings;
  if (exportBucket) return pulumi.output(exportBucket);
  // Kept on destroy: the exports are the only copy.
  const kept = { ...opts, retainOnDelete: true };
  return new storage.Bucket(`${name}-exports-bucket`, bucketArgs(settings), kept).name;
}
