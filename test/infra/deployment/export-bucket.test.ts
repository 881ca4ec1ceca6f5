import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { all, at, deployed, find } from '../../support/deployment-program.ts';
import type { Ran } from '../../support/pulumi-program.ts';

const exporting = await deployed('full');
const named = await deployed('guest');
const plain = await deployed('plain');

const buckets = (ran: Ran) => all(ran, 'storage/bucket:Bucket').map(({ name }) => name);
const exportBucketOf = (ran: Ran) => {
  const { inputs } = find(ran, 'cloudfunctionsv2/function:Function', 'dlo-maintain-function');
  return at(inputs.serviceConfig, 'environmentVariables', 'EXPORT_BUCKET');
};
const grants = (ran: Ran) =>
  all(ran, 'storage/bucketIAMMember:BucketIAMMember')
    .filter(({ name }) => name.endsWith('-exports'))
    .map(({ inputs }) => [inputs.bucket, inputs.role, inputs.member]);
const toMaintain = (bucket: string, project: string) =>
  ['roles/storage.objectViewer', 'roles/storage.objectCreator'].map((role) => [
    bucket,
    role,
    `serviceAccount:dlo-maintain@${project}.iam.gserviceaccount.com`,
  ]);

describe('the export bucket', () => {
  it('allows maintain alone to add and read files, and nothing to replace or delete them', () => {
    const name = 'dlo-exports-bucket-5d6e7f8';
    assert.equal(exportBucketOf(exporting), name);
    assert.deepEqual(grants(exporting), toMaintain(name, 'acme-prod'));
  });

  it('is closed to public access', () => {
    const { inputs } = find(exporting, 'storage/bucket:Bucket', 'dlo-exports-bucket');
    assert.deepEqual([inputs.publicAccessPrevention, inputs.uniformBucketLevelAccess], ['enforced', true]);
  });

  it('is kept with its content when the deployment is destroyed', () => {
    const { inputs, isKept } = find(exporting, 'storage/bucket:Bucket', 'dlo-exports-bucket');
    assert.deepEqual([isKept, inputs.forceDestroy], [true, undefined]);
  });

  it('can be an existing bucket', () => {
    assert.deepEqual(buckets(named), ['dlo-build-source']);
    assert.equal(exportBucketOf(named), 'acme-archive');
    assert.deepEqual(grants(named), toMaintain('acme-archive', 'acme-test'));
  });

  it('is not created by default', () => {
    assert.deepEqual([buckets(plain), exportBucketOf(plain)], [['dlo-build-source'], undefined]);
  });
});
