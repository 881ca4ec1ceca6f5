import * as artifactregistry from '@pulumi/gcp/artifactregistry/index.js';
import * as projects from '@pulumi/gcp/projects/index.js';
import * as storage from '@pulumi/gcp/storage/index.js';
import * as pulumi from '@pulumi/pulumi';
import { openAccount } from './account.ts';
import type { Bundle } from './bundle/build-bundle.ts';
import { type Deployment, ownCondition } from './deployment.ts';
import type { Settings } from './settings.ts';
import { splitName } from './source-settings.ts';

/** Makes what builds functions: a source bucket, an image repository, and an account limited to them. */
export function makeBuild(deployment: Deployment, bundle: Bundle) {
  const { settings, make } = deployment;
  const account = openAccount(deployment, 'build', 'builds functions');
  const repository = pulumi.output(settings.repository || makeRepository(deployment).id);
  const bucket = pulumi.output(
    settings.sourceBucket ||
      make(storage.Bucket, 'build-source', { ...bucketArgs(settings), forceDestroy: true }).name,
  );
  const { name: object } = make(storage.BucketObject, 'build-source', {
    bucket,
    // The name carries the hash: Cloud Functions rebuilds only if the name of the source changes.
    name: `source-${bundle.hash}.zip`,
    source: new pulumi.asset.FileArchive(bundle.folder),
  });
  const { project, region: location } = settings;
  const { member, grantOptions } = account;
  const writesImages = {
    project,
    location,
    repository: repository.apply((each) => splitName(each).name),
    role: 'roles/artifactregistry.writer',
    member,
  };
  const readsSource = { bucket, role: 'roles/storage.objectViewer', member };
  /** Functions wait for these, not only for the account: a build fails without them. */
  const grants: readonly pulumi.CustomResource[] = [
    make(artifactregistry.RepositoryIamMember, 'build-writes-images', writesImages, grantOptions),
    make(storage.BucketIAMMember, 'build-reads-source', readsSource, grantOptions),
    // Cloud Functions builds from a copy in a bucket that it creates with the first function.
    make(projects.IAMMember, 'build-reads-copy', {
      project,
      role: 'roles/storage.objectViewer',
      member,
      condition: ownCondition(
        settings.name,
        'source of functions only',
        'resource.name.startsWith("projects/_/buckets/gcf-v2-sources-")',
      ),
    }),
    // Log entries can be written to a whole project only.
    make(projects.IAMMember, 'build-writes-logs', {
      project,
      role: 'roles/logging.logWriter',
      member,
      condition: ownCondition(settings.name, 'writes logs'),
    }),
  ];
  return { account, repository, bucket, object, grants, options: explainFailure(settings) };
}

function makeRepository({ settings, make }: Deployment) {
  const { project, region: location, kmsKey, name } = settings;
  return make(artifactregistry.Repository, 'build-images', {
    project,
    location,
    repositoryId: `${name}-build-images`,
    format: 'DOCKER',
    // Cloud Functions requires the same key on the function and on the repository of its images.
    ...(kmsKey && { kmsKeyName: kmsKey }),
    description: 'Dead Letter Office: images of functions',
    cleanupPolicies: [
      { id: 'keep-recent', action: 'KEEP', mostRecentVersions: { keepCount: 5 } },
      { id: 'delete-old', action: 'DELETE', condition: { olderThan: `${30 * 86_400}s` } },
    ],
  });
}

/** Options that report once what to do if a function fails: the error of Google names the build only. */
export function explainFailure({ name, project, region }: Pick<Settings, 'name' | 'project' | 'region'>) {
  if (pulumi.runtime.isDryRun()) return {};
  let isReported = false;
  const place = pulumi.interpolate`--project=${project} --region=${region}`;
  const report: pulumi.ErrorHookFunction = async ({ name: made, failedOperation, errors: [latest = ''] }) => {
    // Not retried: a second create would be rejected, because the name is taken.
    if (isReported || failedOperation === 'delete') return false;
    isReported = true;
    const fn = made.replace(/-function$/, '');
    const cause = /build/i.test(latest) ? 'A function was not built' : 'A function was not deployed';
    const meanwhile = failedOperation === 'create' ? '' : '; what served before continues to serve';
    const message = /already exists/.test(latest)
      ? pulumi.interpolate`An update that was killed has made ${fn}. Delete it, it holds nothing, and run the same command again: gcloud functions delete ${fn} ${place}`
      : pulumi.interpolate`${cause}${meanwhile}. Run the same command again: it builds what failed. If it fails again, the reason is in the log of the build: gcloud builds list ${place} --limit=5`;
    await new Promise((resolve) => message.apply((text) => resolve(pulumi.log.error(text))));
    return false;
  };
  return { hooks: { onError: [new pulumi.ErrorHook(`${name}-build-failure`, report)] } };
}

/** A bucket that only IAM opens. */
export function bucketArgs({ project, region: location, kmsKey }: Settings): storage.BucketArgs {
  return {
    project,
    location,
    uniformBucketLevelAccess: true,
    publicAccessPrevention: 'enforced',
    ...(kmsKey && { encryption: { defaultKmsKeyName: kmsKey } }),
  };
}
