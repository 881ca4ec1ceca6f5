import * as artifactregistry from '@pulumi/gcp/artifactregistry/index.js';
import * as projects from '@pulumi/gcp/projects/index.js';
import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import * as storage from '@pulumi/gcp/storage/index.js';
import * as pulumi from '@pulumi/pulumi';

/** A folder with the source of all functions, and a hash of its content. */
export type Bundle = { readonly folder: string; readonly hash: string };

export type BuildArgs = { readonly project: string; readonly region: string; readonly bundle: Bundle };

const day = 86_400;

/** The resources for building functions: source bucket, image repository, and a service account limited to them. */
export class Build extends pulumi.ComponentResource {
  readonly serviceAccount: pulumi.Output<string>;
  readonly repository: pulumi.Output<string>;
  readonly bucket: pulumi.Output<string>;
  readonly object: pulumi.Output<string>;
  /** Functions wait for these grants, not only for the account: a build fails without them. */
  readonly grants: readonly pulumi.Resource[];

  constructor(name: string, args: BuildArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Build', name, {}, opts);
    const account = new serviceaccount.Account(
      `${name}-account`,
      {
        accountId: name,
        displayName: 'Dead Letter Office: builds functions',
        project: args.project,
      },
      { parent: this },
    );
    const repository = this.#makeRepository(name, args);
    const bucket = this.#makeBucket(name, args);
    const object = new storage.BucketObject(
      `${name}-source`,
      {
        bucket: bucket.name,
        // The name carries the hash: Cloud Functions rebuilds only if the name of the source changes.
        name: `source-${args.bundle.hash}.zip`,
        source: new pulumi.asset.FileArchive(args.bundle.folder),
      },
      { parent: this },
    );
    this.serviceAccount = account.name;
    this.repository = repository.id;
    this.bucket = bucket.name;
    this.object = object.name;
    this.grants = this.#grant(name, args, { account, repository, bucket });
    this.registerOutputs({});
  }

  #makeRepository(name: string, { project, region }: BuildArgs): artifactregistry.Repository {
    return new artifactregistry.Repository(
      `${name}-images`,
      {
        project,
        location: region,
        repositoryId: `${name}-images`,
        format: 'DOCKER',
        description: 'Dead Letter Office: images of functions',
        cleanupPolicies: [
          { id: 'keep-recent', action: 'KEEP', mostRecentVersions: { keepCount: 5 } },
          { id: 'delete-old', action: 'DELETE', condition: { olderThan: `${30 * day}s` } },
        ],
      },
      { parent: this },
    );
  }

  #makeBucket(name: string, { project, region }: BuildArgs): storage.Bucket {
    return new storage.Bucket(
      `${name}-source`,
      {
        project,
        location: region,
        uniformBucketLevelAccess: true,
        publicAccessPrevention: 'enforced',
        forceDestroy: true,
      },
      { parent: this },
    );
  }

  #grant(name: string, { project }: BuildArgs, to: Granted): readonly pulumi.Resource[] {
    const member = to.account.member;
    return [
      new artifactregistry.RepositoryIamMember(
        `${name}-writes-images`,
        {
          project,
          location: to.repository.location,
          repository: to.repository.name,
          role: 'roles/artifactregistry.writer',
          member,
        },
        { parent: this },
      ),
      new storage.BucketIAMMember(
        `${name}-reads-source`,
        { bucket: to.bucket.name, role: 'roles/storage.objectViewer', member },
        { parent: this },
      ),
      // Cloud Functions builds from a copy in a bucket that it creates with the first function.
      new projects.IAMMember(
        `${name}-reads-copy`,
        {
          project,
          role: 'roles/storage.objectViewer',
          member,
          condition: {
            title: 'source of functions only',
            expression: 'resource.name.startsWith("projects/_/buckets/gcf-v2-sources-")',
          },
        },
        { parent: this },
      ),
      // Log entries can be written to a whole project only.
      new projects.IAMMember(
        `${name}-writes-logs`,
        { project, role: 'roles/logging.logWriter', member },
        { parent: this },
      ),
    ];
  }
}

type Granted = {
  readonly account: serviceaccount.Account;
  readonly repository: artifactregistry.Repository;
  readonly bucket: storage.Bucket;
};
