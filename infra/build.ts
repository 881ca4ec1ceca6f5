import * as artifactregistry from '@pulumi/gcp/artifactregistry/index.js';
import * as projects from '@pulumi/gcp/projects/index.js';
import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import * as storage from '@pulumi/gcp/storage/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Bundle } from './bundle/build-bundle.ts';
import { Component } from './component.ts';
import { Propagation } from './dynamic/dynamic-resources.ts';
import { explainFailure } from './rollout/explain-failure.ts';

export type BuildArgs = {
  readonly project: string;
  readonly region: string;
  readonly bundle: Bundle;
  /** How long new grants take to become effective. */
  readonly grantDelaySeconds: number;
};

const day = 86_400;

/**
 * The resources for building functions: source bucket, image repository, and a service account limited to
 * them.
 */
export class Build extends Component {
  readonly serviceAccount: pulumi.Output<string>;
  readonly repository: pulumi.Output<string>;
  readonly bucket: pulumi.Output<string>;
  readonly object: pulumi.Output<string>;
  /**
   * Functions wait for these grants and their propagation, not only for the account: a build fails without
   * them.
   */
  readonly grants: readonly pulumi.Resource[];
  /** Options of the functions that are built. */
  readonly options: pulumi.CustomResourceOptions;

  constructor(name: string, args: BuildArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Build', name, opts);
    const { project, region: location, bundle } = args;
    const account = this.make(serviceaccount.Account, 'account', {
      accountId: name,
      displayName: 'Dead Letter Office: builds functions',
      project,
    });
    const repository = this.make(artifactregistry.Repository, 'images', {
      project,
      location,
      repositoryId: `${name}-images`,
      format: 'DOCKER',
      description: 'Dead Letter Office: images of functions',
      cleanupPolicies: [
        { id: 'keep-recent', action: 'KEEP', mostRecentVersions: { keepCount: 5 } },
        { id: 'delete-old', action: 'DELETE', condition: { olderThan: `${30 * day}s` } },
      ],
    });
    const bucket = this.make(storage.Bucket, 'source', {
      project,
      location,
      uniformBucketLevelAccess: true,
      publicAccessPrevention: 'enforced',
      forceDestroy: true,
    });
    const object = this.make(storage.BucketObject, 'source', {
      bucket: bucket.name,
      // The name carries the hash: Cloud Functions rebuilds only if the name of the source changes.
      name: `source-${bundle.hash}.zip`,
      source: new pulumi.asset.FileArchive(bundle.folder),
    });
    this.serviceAccount = account.name;
    this.repository = repository.id;
    this.bucket = bucket.name;
    this.options = explainFailure(name, args);
    this.object = object.name;
    const grants = this.#grant({ account, repository, bucket }, project);
    const awaited = pulumi.all([...grants.map(({ id }) => id), account.uniqueId]);
    const effective = { grants: awaited, seconds: args.grantDelaySeconds };
    this.grants = [...grants, this.make(Propagation, 'propagation', effective)];
  }

  #grant(
    { account: { member }, repository, bucket }: Granted,
    project: string,
  ): readonly pulumi.CustomResource[] {
    return [
      this.make(artifactregistry.RepositoryIamMember, 'writes-images', {
        project,
        location: repository.location,
        repository: repository.name,
        role: 'roles/artifactregistry.writer',
        member,
      }),
      this.make(storage.BucketIAMMember, 'reads-source', {
        bucket: bucket.name,
        role: 'roles/storage.objectViewer',
        member,
      }),
      // Cloud Functions builds from a copy in a bucket that it creates with the first function.
      this.make(projects.IAMMember, 'reads-copy', {
        project,
        role: 'roles/storage.objectViewer',
        member,
        condition: {
          title: 'source of functions only',
          expression: 'resource.name.startsWith("projects/_/buckets/gcf-v2-sources-")',
        },
      }),
      // Log entries can be written to a whole project only.
      this.make(projects.IAMMember, 'writes-logs', { project, role: 'roles/logging.logWriter', member }),
    ];
  }
}

type Granted = {
  readonly account: serviceaccount.Account;
  readonly repository: artifactregistry.Repository;
  readonly bucket: storage.Bucket;
};
