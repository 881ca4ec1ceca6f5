import * as projects from '@pulumi/gcp/projects/index.js';
import * as pulumi from '@pulumi/pulumi';

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
export class Apis extends pulumi.ComponentResource {
  constructor(name: string, args: { readonly project: string }, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Apis', name, {}, opts);
    for (const service of apis) {
      const short = service.replace('.googleapis.com', '');
      new projects.Service(
        `${name}-${short}`,
        { project: args.project, service, disableOnDestroy: false },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}
