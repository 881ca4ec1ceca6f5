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
const grant = (ran: Ran) => {
  const { inputs } = find(ran, 'storage/bucketIAMMember:BucketIAMMember', 'dlo-maintain-exports');
  return [inputs.bucket, inputs.role, inputs.member];
};
const maintain = 'serviceAccount:dlo-maintain@acme-test.iam.gserviceaccount.com';

describe('the bucket of exports', () => {
  it('is made for maintain alone, who may write, read back and replace there', () => {
    const name = 'dlo-exports-bucket-5d6e7f8';
    assert.equal(toldBucket(exporting), name);
    assert.deepEqual(grant(exporting), [name, 'roles/storage.objectUser', maintain]);
  });

  it('is nobody else’s to see', () => {
    const { inputs } = find(exporting, 'storage/bucket:Bucket', 'dlo-exports-bucket');
    assert.deepEqual([inputs.publicAccessPrevention, inputs.uniformBucketLevelAccess], ['enforced', true]);
  });

  it('outlives the office, and is never emptied by it', () => {
    const { inputs, isKept } = find(exporting, 'storage/bucket:Bucket', 'dlo-exports-bucket');
    assert.deepEqual([isKept, inputs.forceDestroy], [true, undefined]);
    assert.deepEqual(inputs.versioning, { enabled: true });
  });

  it('may be one that is there already', () => {
    assert.deepEqual(buckets(named), ['dlo-build-source']);
    assert.equal(toldBucket(named), 'acme-archive');
    assert.deepEqual(grant(named), ['acme-archive', 'roles/storage.objectUser', maintain]);
  });

  it('is not there unless it is asked for', () => {
    assert.deepEqual([buckets(plain), toldBucket(plain)], [['dlo-build-source'], undefined]);
  });

  it('is previewed before it has a name', async () => {
    const preview = await runOffice({ ...plainSettings, exportArchive: true }, { isPreview: true });
    assert.equal(toldBucket(preview), unknown);
  });
});
