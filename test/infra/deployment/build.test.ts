import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at, deployed, find } from '../../support/deployment-program.ts';
import { unknown } from '../../support/pulumi-program.ts';

const deployment = await deployed('prod');

describe('the resources for builds', () => {
  it('upload the bundle under a name that changes with its content', () => {
    const { inputs } = find(deployment, 'storage/bucketObject:BucketObject', 'dlo-build-source');
    assert.deepEqual([inputs.name, inputs.source], ['source-0123abcd.zip', '(an archive)']);
  });

  it('keep the source bucket private', () => {
    const { inputs } = find(deployment, 'storage/bucket:Bucket', 'dlo-build-source');
    assert.equal(inputs.publicAccessPrevention, 'enforced');
    assert.equal(inputs.uniformBucketLevelAccess, true);
  });

  it('delete old images and keep the latest five', () => {
    const { inputs } = find(deployment, 'artifactregistry/repository:Repository', 'dlo-build-images');
    assert.deepEqual(
      (inputs.cleanupPolicies as object[]).map((policy) => at(policy, 'action')),
      ['KEEP', 'DELETE'],
    );
    assert.equal(at(inputs.cleanupPolicies, 0, 'mostRecentVersions', 'keepCount'), 5);
  });

  it('can be previewed before the bucket exists', async () => {
    const preview = await deployed('prod', { isPreview: true });
    const { inputs } = find(preview, 'storage/bucketObject:BucketObject', 'dlo-build-source');
    assert.deepEqual([inputs.bucket, inputs.name], [unknown, 'source-0123abcd.zip']);
  });
});
