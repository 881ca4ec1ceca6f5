import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Build } from '../../../infra/build.ts';
import { at, bundle, find } from '../../support/deployment-program.ts';
import { runProgram, unknown } from '../../support/pulumi-program.ts';

const args = { project: 'acme-test', region: 'europe-west1', bundle, grantDelaySeconds: 0 };
const build = () => runProgram(() => ({ object: new Build('yours-build', args).object }));

describe('the build component', () => {
  it('uploads the bundle under a name that changes with its content', async () => {
    const { inputs } = find(await build(), 'storage/bucketObject:BucketObject', 'yours-build-source');
    assert.deepEqual([inputs.name, inputs.source], ['source-0123abcd.zip', '(an archive)']);
  });

  it('keeps the source bucket private', async () => {
    const { inputs } = find(await build(), 'storage/bucket:Bucket', 'yours-build-source');
    assert.equal(inputs.publicAccessPrevention, 'enforced');
    assert.equal(inputs.uniformBucketLevelAccess, true);
  });

  it('deletes old images and keeps the latest five', async () => {
    const { inputs } = find(await build(), 'artifactregistry/repository:Repository', 'yours-build-images');
    assert.deepEqual(
      (inputs.cleanupPolicies as object[]).map((policy) => at(policy, 'action')),
      ['KEEP', 'DELETE'],
    );
    assert.equal(at(inputs.cleanupPolicies, 0, 'mostRecentVersions', 'keepCount'), 5);
  });

  it('can be previewed before its account exists', async () => {
    const preview = await runProgram(() => ({ object: new Build('yours-build', args).object }), {
      isPreview: true,
    });
    const { inputs } = find(preview, 'storage/bucketObject:BucketObject', 'yours-build-source');
    assert.deepEqual([inputs.bucket, inputs.name], [unknown, 'source-0123abcd.zip']);
  });
});
