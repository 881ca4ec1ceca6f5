import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { all, at, find, plainSettings, runOffice } from '../support/office-program.ts';
import { type Ran, unknown } from '../support/pulumi-program.ts';

const exporting = await runOffice({ ...plainSettings, exportArchive: true });
const named = await runOffice({ ...plainSettings, exportArchive: true, exportBucket: 'acme-archive' });
const plain = await runOffice(plainSettings);

const buckets = (ran: Ran) => all(ran, 'storage/bucket:Bucket').map(({ name }) => name);
const toldBucket = (ran: Ran) => {
  const { inputs } = find(ran, 'cloudfunctionsv2/function:Function', 'dlo-maintain-function');
  return at(inputs.serviceConfig, 'environmentVariables', 'EXPORT_BUCKET');
};
const grants = (ran: Ran) =>
  all(ran, 'storage/bucketIAMMember:BucketIAMMember')
    .filter(({ name }) => name.endsWith('-exports'))
    .map(({ inputs }) => [inputs.bucket, inputs.role, inputs.member]);
const toMaintain = (bucket: string) =>
  ['roles/storage.objectViewer', 'roles/storage.objectCreator'].map((role) => [
    bucket,
    role,
    'serviceAccount:dlo-maintain@acme-test.iam.gserviceaccount.com',
  ]);

describe('the bucket of exports', () => {
  it('is made for maintain alone, who may add files and read them, and replace or delete none', () => {
    const name = 'dlo-exports-bucket-5d6e7f8';
    assert.equal(toldBucket(exporting), name);
    assert.deepEqual(grants(exporting), toMaintain(name));
  });

  it('is nobody else’s to see', () => {
    const { inputs } = find(exporting, 'storage/bucket:Bucket', 'dlo-exports-bucket');
    assert.deepEqual([inputs.publicAccessPrevention, inputs.uniformBucketLevelAccess], ['enforced', true]);
  });

  it('outlives the office, and is never emptied by it', () => {
    const { inputs, isKept } = find(exporting, 'storage/bucket:Bucket', 'dlo-exports-bucket');
    assert.deepEqual([isKept, inputs.forceDestroy], [true, undefined]);
  });

  it('may be one that is there already', () => {
    assert.deepEqual(buckets(named), ['dlo-build-source']);
    assert.equal(toldBucket(named), 'acme-archive');
    assert.deepEqual(grants(named), toMaintain('acme-archive'));
  });

  it('is not there unless it is asked for', () => {
    assert.deepEqual([buckets(plain), toldBucket(plain)], [['dlo-build-source'], undefined]);
  });

  it('is previewed before it has a name', async () => {
    const preview = await runOffice({ ...plainSettings, exportArchive: true }, { isPreview: true });
    assert.equal(toldBucket(preview), unknown);
  });
});
