import * as storage from '@pulumi/gcp/storage/index.js';
import * as pulumi from '@pulumi/pulumi';
import { Component } from './component.ts';
import type { Settings } from './settings.ts';

/** The bucket to which a month of the archive is exported before it is dropped. */
export class ExportBucket extends Component {
  readonly bucket: pulumi.Output<string>;

  constructor(name: string, settings: Settings, opts?: pulumi.ComponentResourceOptions) {
    super('ExportBucket', name, opts);
    this.bucket = pulumi.output(settings.exportBucket || this.#makeBucket(name, settings).name);
  }

  /** Allows `member` to add and read files. No identity of the deployment can replace or delete one. */
  allow(name: string, member: pulumi.Input<string>): void {
    for (const [what, role] of Object.entries({ writes: 'objectCreator', reads: 'objectViewer' })) {
      const args = { bucket: this.bucket, role: `roles/storage.${role}`, member };
      new storage.BucketIAMMember(`${name}-${what}-exports`, args, { parent: this });
    }
  }

  #makeBucket(name: string, { project, region: location }: Settings): storage.Bucket {
    return new storage.Bucket(
      `${name}-bucket`,
      { project, location, uniformBucketLevelAccess: true, publicAccessPrevention: 'enforced' },
      // Kept on destroy: the exports are the only copy.
      { parent: this, retainOnDelete: true },
    );
  }
}
