import * as storage from '@pulumi/gcp/storage/index.js';
import * as pulumi from '@pulumi/pulumi';

export type ExportBucketArgs = {
  readonly project: string;
  readonly region: string;
  /** The name of one to use as it is; empty: one is made. */
  readonly existing: string;
};

/** Where months of the archive are written to before they are dropped. */
export class ExportBucket extends pulumi.ComponentResource {
  readonly bucket: pulumi.Output<string>;

  constructor(name: string, args: ExportBucketArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:ExportBucket', name, {}, opts);
    this.bucket = args.existing ? pulumi.output(args.existing) : this.#makeBucket(name, args).name;
    this.registerOutputs({ bucket: this.bucket });
  }

  /** Lets `member` add files and read them back. What is in there nobody of the office can replace or delete. */
  allow(name: string, member: pulumi.Input<string>): void {
    for (const [what, role] of Object.entries({ writes: 'objectCreator', reads: 'objectViewer' })) {
      new storage.BucketIAMMember(
        `${name}-${what}-exports`,
        { bucket: this.bucket, role: `roles/storage.${role}`, member },
        { parent: this },
      );
    }
  }

  #makeBucket(name: string, { project, region }: ExportBucketArgs): storage.Bucket {
    return new storage.Bucket(
      `${name}-bucket`,
      {
        project,
        location: region,
        uniformBucketLevelAccess: true,
        publicAccessPrevention: 'enforced',
      },
      // What is in there is nowhere else any more: it outlives the office.
      { parent: this, retainOnDelete: true },
    );
  }
}
