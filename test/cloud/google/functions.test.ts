import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { build } from './build.ts';
import type { Google } from './google.ts';
import { writePolicy } from './policies.ts';
import { functions } from './services/functions.ts';
import { run } from './services/run.ts';
import { storage } from './services/storage.ts';
import { useGoogle } from './use-google.ts';

const builder = 'build@acme.iam.gserviceaccount.com';
const location = 'projects/acme/locations/us-central1';

/** Allows the account that builds what a build needs. */
function allowBuilds(google: Google): void {
  const members = [`serviceAccount:${builder}`];
  const roles = ['storage.objectViewer', 'artifactregistry.writer', 'logging.logWriter'];
  writePolicy(google.policies, 'projects/acme', {
    bindings: roles.map((role) => ({ role: `roles/${role}`, members })),
  });
}

describe('Cloud Storage of the stand-in', () => {
  const running = useGoogle(storage);
  const buckets = 'storage.googleapis.com/storage/v1/b';

  // https://cloud.google.com/storage/docs/json_api/v1/buckets
  it('returns the location of a bucket in capitals', async () => {
    const { body } = await running().call('POST', `${buckets}?project=acme`, {
      name: 'one',
      location: 'us-central1',
    });
    assert.equal(body.location, 'US-CENTRAL1');
  });

  // https://cloud.google.com/storage/docs/json_api/v1/objects
  it('returns the MD5 of an object in base64, and keeps a bucket with objects', async () => {
    const { google, call } = running();
    await call('POST', `${buckets}?project=acme`, { name: 'two' });
    const upload = 'storage.googleapis.com/upload/storage/v1/b/two/o?name=a%2Fb.json';
    const { body } = await call('POST', upload, { some: 'text' });
    assert.equal(body.md5Hash, createHash('md5').update('{"some":"text"}').digest('base64'));
    assert.equal((await call('DELETE', `${buckets}/two`)).code, 409);
    assert.equal((await call('DELETE', `${buckets}/two/o/a%2Fb.json`)).code, 200);
    assert.equal((await call('DELETE', `${buckets}/two`)).code, 200);
    assert.ok(!google.resources.has('b/two'));
  });
});

// https://cloud.google.com/functions/docs/reference/rest/v2/projects.locations.functions
describe('Cloud Functions of the stand-in', () => {
  const running = useGoogle(functions, run, storage);
  const parent = `cloudfunctions.googleapis.com/v2/${location}/functions`;
  const upload = async (object: string) => {
    const { call } = running();
    await call('POST', 'storage.googleapis.com/storage/v1/b?project=acme', { name: 'source' });
    await call('POST', `storage.googleapis.com/upload/storage/v1/b/source/o?name=${object}`, { object });
  };
  const describeFunction = (object: string) => ({
    buildConfig: {
      entryPoint: 'capture',
      serviceAccount: `projects/acme/serviceAccounts/${builder}`,
      dockerRepository: `${location}/repositories/images`,
      source: { storageSource: { bucket: 'source', object } },
    },
    serviceConfig: {
      serviceAccountEmail: 'capture@acme.iam.gserviceaccount.com',
      environmentVariables: { A: '1' },
    },
  });

  it('builds a function, and gives it an address', async () => {
    const { google, call } = running();
    allowBuilds(google);
    await upload('one.zip');
    const { body } = await call('POST', `${parent}?functionId=first`, describeFunction('one.zip'));
    assert.equal(body.done, true);
    const made = (await call('GET', `${parent}/first`)).body;
    assert.equal(made.state, 'ACTIVE');
    assert.match(Object(made.serviceConfig).uri, /^https:\/\/first-\w+-uc1?\.a\.run\.app$/);
    assert.deepEqual(google.revisions.get(`${location}/services/first`)?.variables, { A: '1' });
  });

  it('reports a failed build in the operation, and leaves what served', async () => {
    const { google, call } = running();
    allowBuilds(google);
    await upload('two.zip');
    await call('POST', `${parent}?functionId=second`, describeFunction('two.zip'));
    const served = google.revisions.get(`${location}/services/second`);
    google.faults.push({ call: /BUILD .*second/, status: 'INTERNAL', times: 1 });
    const { body } = await call(
      'PATCH',
      `${parent}/second?updateMask=buildConfig`,
      describeFunction('two.zip'),
    );
    assert.match(String(Object(body.error).message), /Build failed/);
    assert.equal(google.revisions.get(`${location}/services/second`), served);
    assert.equal((await call('GET', `${parent}/second`)).body.state, 'FAILED');
  });

  it('has no service and no address after a first build that failed', async () => {
    const { google, call } = running();
    allowBuilds(google);
    await upload('three.zip');
    google.faults.push({ call: /BUILD .*third/, status: 'INTERNAL', times: 1 });
    await call('POST', `${parent}?functionId=third`, describeFunction('three.zip'));
    assert.equal(Object((await call('GET', `${parent}/third`)).body.serviceConfig).uri, undefined);
    assert.equal((await call('GET', `run.googleapis.com/v2/${location}/services/third`)).code, 404);
  });

  it('builds with the rights of the account that builds', async () => {
    const { google } = running();
    writePolicy(google.policies, 'projects/acme', { bindings: [] });
    await upload('four.zip');
    const request = {
      service: `${location}/services/fourth`,
      source: { bucket: 'source', object: 'four.zip' },
      repository: `${location}/repositories/images`,
      builder,
      entryPoint: 'capture',
      account: 'capture@acme.iam.gserviceaccount.com',
      variables: {},
      secrets: {},
      settings: {},
    };
    assert.throws(() => build(google, request), /build@acme.*storage\.objects\.get on b\/source/);
  });
});
