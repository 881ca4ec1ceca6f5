import * as projects from '@pulumi/gcp/projects/index.js';
import type * as pulumi from '@pulumi/pulumi';
import type { Settings } from './settings.ts';

/** The APIs that a deployment needs; docs/deploy.md has the same list for enabling them in advance. */
export const apis = [
  'artifactregistry.googleapis.com',
  'cloudbuild.googleapis.com',
  'cloudfunctions.googleapis.com',
  'cloudresourcemanager.googleapis.com',
  'cloudscheduler.googleapis.com',
  'iam.googleapis.com',
  'logging.googleapis.com',
  'monitoring.googleapis.com',
  'pubsub.googleapis.com',
  'run.googleapis.com',
  'secretmanager.googleapis.com',
  'sqladmin.googleapis.com',
  'storage.googleapis.com',
] as const;

/** Enables the APIs. They stay enabled when the deployment is destroyed: other programs may use them. */
export function enableApis({ project, name, iap }: Settings, opts: pulumi.CustomResourceOptions) {
  return [...apis, ...(iap ? ['iap.googleapis.com'] : [])].map((service) => {
    const args = { project, service, disableOnDestroy: false };
    return new projects.Service(`${name}-apis-${service.replace('.googleapis.com', '')}`, args, opts);
  });
}
