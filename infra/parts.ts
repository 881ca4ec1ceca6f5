import * as projects from '@pulumi/gcp/projects/index.js';
import type * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as storage from '@pulumi/gcp/storage/index.js';
import * as pulumi from '@pulumi/pulumi';
import { type Build, bucketArgs } from './build.ts';
import type { Database } from './database.ts';
import type { Identities } from './identities.ts';
import type { Settings } from './settings.ts';

/** The inputs of the functions of a deployment. */
export type Parts = {
  readonly settings: Settings;
  readonly build: Build;
  readonly identities: Identities;
  /** Undefined: functions connect by URL. */
  readonly database: Database | undefined;
  /** Functions wait for these: they migrate the schema and grant its roles. */
  readonly migrations: readonly pulumi.Resource[];
  readonly topics: Readonly<Record<'capture' | 'continue', pubsub.Topic>>;
  /** Undefined: Cloud Run authenticates the users of the console. */
  readonly iap: Iap | undefined;
  /** Undefined: the archive is not exported. */
  readonly exportBucket: pulumi.Output<string> | undefined;
};

/** Identity-Aware Proxy of a project: the agent that calls services for the users that it admits. */
export type Iap = ReturnType<typeof openIap>;

export function openIap({ project, region, name }: Settings, opts: pulumi.CustomResourceOptions) {
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
  if (!number) throw new Error(`The agent of Identity-Aware Proxy is ${agent}, without a project number.`);
  return number;
}

/** Opens the bucket to which a month of the archive is exported before it is dropped. */
export function openExportBucket(settings: Settings, opts: pulumi.CustomResourceOptions) {
  const { name, exportBucket } = settings;
  if (exportBucket) return pulumi.output(exportBucket);
  // Kept on destroy: the exports are the only copy.
  const kept = { ...opts, retainOnDelete: true };
  return new storage.Bucket(`${name}-exports-bucket`, bucketArgs(settings), kept).name;
}
