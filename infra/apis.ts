import * as projects from '@pulumi/gcp/projects/index.js';
import type * as pulumi from '@pulumi/pulumi';
import { Component } from './component.ts';

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

/** Identity-Aware Proxy, with the setting `iap`. */
const iapApi = 'iap.googleapis.com';

/** Enables the APIs. They stay enabled when the deployment is destroyed: other programs may use them. */
export class Apis extends Component {
  constructor(
    name: string,
    { project, iap }: { readonly project: string; readonly iap: boolean },
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super('Apis', name, opts);
    for (const service of [...apis, ...(iap ? [iapApi] : [])]) {
      const args = { project, service, disableOnDestroy: false };
      this.make(projects.Service, service.replace('.googleapis.com', ''), args);
    }
  }
}
