import * as storage from '@pulumi/gcp/storage/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Settings } from './settings.ts';

/** Opens the bucket to which a month of the archive is exported before it is dropped. */
export function openExportBucket(
  { project, region: location, kmsKey, name, exportBucket }: Settings,
  opts: pulumi.CustomResourceOptions,
): pulumi.Output<string> {
  if (exportBucket) return pulumi.output(exportBucket);
  const args = {
    project,
    location,
    uniformBucketLevelAccess: true,
    publicAccessPrevention: 'enforced',
    ...(kmsKey && { encryption: { defaultKmsKeyName: kmsKey } }),
  };
  // Kept on destroy: the exports are the only copy.
  return new storage.Bucket(`${name}-exports-bucket`, args, { ...opts, retainOnDelete: true }).name;
}
