import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAllowed, writePolicy } from './policies.ts';
import { monitoring } from './services/monitoring.ts';
import { pubsub } from './services/pubsub.ts';
import { resourceManager } from './services/resource-manager.ts';
import { scheduler } from './services/scheduler.ts';
import { secretManager } from './services/secret-manager.ts';
import { serviceAccounts } from './services/service-accounts.ts';
import { serviceUsage } from './services/service-usage.ts';
import { useGoogle } from './use-google.ts';

const send = async () => 200;

describe('the stand-in of Google Cloud', () => {
  const running = useGoogle(
    monitoring,
    (google) => pubsub(google, send),
    resourceManager,
    (google) => scheduler(google, send),
    secretManager,
    serviceAccounts,
    serviceUsage,
  );
  const topics = 'pubsub.googleapis.com/v1/projects/acme/topics';
  const subscriptions = 'pubsub.googleapis.com/v1/projects/acme/subscriptions';
  const jobs = 'cloudscheduler.googleapis.com/v1/projects/acme/locations/us-central1/jobs';

  // https://cloud.google.com/apis/design/errors#error_model
  it('reports a missing resource as NOT_FOUND, and one that exists as ALREADY_EXISTS', async () => {
    const missing = await running().call('GET', `${topics}/none`);
    assert.equal(missing.code, 404);
    assert.equal(Object(missing.body.error).status, 'NOT_FOUND');
    await running().call('PUT', `${topics}/twice`, {});
    const second = await running().call('PUT', `${topics}/twice`, {});
    assert.equal(second.code, 409);
    assert.equal(Object(second.body.error).status, 'ALREADY_EXISTS');
  });

  it('fails calls as planned, and no more than that', async () => {
    const { google, call } = running();
    google.faults.push({ call: /^PUT .*\/unlucky$/, status: 'UNAVAILABLE', times: 1 });
    assert.equal((await call('PUT', `${topics}/unlucky`, {})).code, 503);
    assert.equal((await call('PUT', `${topics}/unlucky`, {})).code, 200);
  });

  // https://cloud.google.com/pubsub/docs/reference/rest/v1/projects.subscriptions
  it('withholds the address of a service agent as often as planned', async () => {
    const { call, google } = running();
    google.withheldIdentities = 1;
    const services = 'serviceusage.googleapis.com/v1beta1/projects/acme/services';
    const generate = async () => {
      const { body } = await call('POST', `${services}/pubsub.googleapis.com:generateServiceIdentity`);
      return Object(body.response).email;
    };
    assert.equal(await generate(), undefined);
    assert.match(await generate(), /^service-\d+@gcp-sa-pubsub\.iam\.gserviceaccount\.com$/);
  });

  it('keeps an expiry of 31 days and an acknowledgement within 10 s as defaults of a subscription', async () => {
    const { call } = running();
    await call('PUT', `${topics}/orders`, {});
    const { body } = await call('PUT', `${subscriptions}/orders`, { topic: 'projects/acme/topics/orders' });
    assert.deepEqual(body.expirationPolicy, { ttl: '2678400s' });
    assert.deepEqual([body.ackDeadlineSeconds, body.messageRetentionDuration], [10, '604800s']);
    const tooLong = { topic: 'projects/acme/topics/orders', ackDeadlineSeconds: 601 };
    assert.equal((await call('PUT', `${subscriptions}/slow`, tooLong)).code, 400);
  });

  it('subscribes to a topic that exists only', async () => {
    const { code } = await running().call('PUT', `${subscriptions}/lost`, {
      topic: 'projects/acme/topics/lost',
    });
    assert.equal(code, 404);
  });

  // https://google.aip.dev/161
  it('changes the fields of an update mask, and removes those that did not come', async () => {
    const { call } = running();
    await call('PUT', `${topics}/masked`, { labels: { team: 'a' }, messageRetentionDuration: '600s' });
    const topic = { labels: { team: 'b' } };
    const updateMask = 'labels,messageRetentionDuration';
    const { body } = await call('PATCH', `${topics}/masked`, { topic, updateMask });
    assert.deepEqual([body.labels, body.messageRetentionDuration], [{ team: 'b' }, undefined]);
    // As the provider sends it.
    await call('PATCH', `${topics}/masked?updateMask=labels`, { topic: { labels: { team: 'c' } } });
    assert.deepEqual((await call('GET', `${topics}/masked`)).body.labels, { team: 'c' });
  });

  // https://cloud.google.com/scheduler/docs/reference/rest/v1/projects.locations.jobs
  it('fills in the retries and the deadline of a job, and pauses it', async () => {
    const { call } = running();
    const name = 'projects/acme/locations/us-central1/jobs/hourly';
    const { body } = await call('POST', jobs, {
      name,
      schedule: '0 * * * *',
      retryConfig: { retryCount: 3 },
    });
    assert.equal(body.attemptDeadline, '180s');
    assert.deepEqual(body.retryConfig, {
      retryCount: 3,
      maxRetryDuration: '0s',
      minBackoffDuration: '5s',
      maxBackoffDuration: '3600s',
      maxDoublings: 5,
    });
    assert.equal((await call('POST', `${jobs}/hourly:pause`)).body.state, 'PAUSED');
    assert.equal((await call('POST', jobs, { name: `${name}-wrong`, schedule: 'hourly' })).code, 400);
  });

  // https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions
  it('numbers the versions of a secret, and names them by the number of the project', async () => {
    const { call } = running();
    const secrets = 'secretmanager.googleapis.com/v1/projects/acme/secrets';
    await call('POST', `${secrets}?secretId=routes`, { replication: { automatic: {} } });
    const payload = { data: Buffer.from('[]').toString('base64') };
    await call('POST', `${secrets}/routes:addVersion`, { payload });
    const { body } = await call('POST', `${secrets}/routes:addVersion`, { payload });
    assert.match(String(body.name), /^projects\/\d+\/secrets\/routes\/versions\/2$/);
    assert.equal(body.payload, undefined);
    const read = await call('GET', `secretmanager.googleapis.com/v1/${body.name}:access`);
    assert.deepEqual(read.body.payload, payload);
  });

  // https://cloud.google.com/monitoring/api/ref_v3/rest/v3/projects.alertPolicies
  it('names the conditions of an alert', async () => {
    const { body } = await running().call(
      'POST',
      'monitoring.googleapis.com/v3/projects/acme/alertPolicies',
      {
        conditions: [{ displayName: 'too many' }],
      },
    );
    const [condition] = body.conditions as { name: string }[];
    assert.match(condition?.name ?? '', /^projects\/acme\/alertPolicies\/\d+\/conditions\/\d+$/);
  });
});

// https://cloud.google.com/iam/docs/reference/rest/v1/Policy
describe('an IAM policy of the stand-in', () => {
  const running = useGoogle(resourceManager, serviceAccounts);
  const project = 'cloudresourcemanager.googleapis.com/v1/projects/acme';
  const accounts = 'iam.googleapis.com/v1/projects/acme/serviceAccounts';
  const read = async () => (await running().call('POST', `${project}:getIamPolicy`)).body;
  const write = (policy: object) => running().call('POST', `${project}:setIamPolicy`, { policy });

  it('is not replaced by one that was read before another change', async () => {
    const [first, second] = [await read(), await read()];
    assert.equal((await write(first)).code, 200);
    const { code, body } = await write(second);
    assert.equal(code, 409);
    assert.equal(Object(body.error).status, 'ABORTED');
  });

  it('has version 3 once a condition is in it', async () => {
    const policy = await read();
    const condition = { title: 'one', expression: 'resource.name == "x"' };
    const binding = { role: 'roles/cloudsql.client', members: ['user:ben@acme.example'], condition };
    const { body } = await write({ ...policy, bindings: [...(policy.bindings as object[]), binding] });
    assert.equal(body.version, 3);
  });

  it('grants what its condition allows only', async () => {
    const { policies } = running().google;
    const expression = 'resource.name.startsWith("projects/_/buckets/mine-")';
    const members = ['user:eve@acme.example'];
    writePolicy(policies, 'folder', {
      bindings: [{ role: 'roles/storage.objectViewer', members, condition: { expression } }],
    });
    const access = {
      member: 'user:eve@acme.example',
      permission: 'storage.objects.get',
      resources: ['folder'],
    };
    const at = (name: string) => isAllowed(policies, { ...access, attributes: { name } });
    assert.deepEqual([at('projects/_/buckets/mine-1'), at('projects/_/buckets/other')], [true, false]);
    const since = (year: number) => ({ expression: `request.time > timestamp("${year}-01-01T00:00:00Z")` });
    for (const [year, isGranted] of [
      [2020, true],
      [9999, false],
    ] as const) {
      const role = 'roles/storage.objectViewer';
      writePolicy(policies, 'folder', { bindings: [{ role, members, condition: since(year) }] });
      assert.equal(at(''), isGranted, String(year));
    }
  });

  // https://cloud.google.com/iam/docs/access-change-propagation
  it('takes the planned time to be applied', async () => {
    const { policies } = running().google;
    policies.delaySeconds = 60;
    const members = ['user:new@acme.example'];
    writePolicy(policies, 'late', { bindings: [{ role: 'roles/run.invoker', members }] }, 1_000_000);
    const access = { member: 'user:new@acme.example', permission: 'run.routes.invoke', resources: ['late'] };
    assert.deepEqual(
      [1_059_999, 1_060_000].map((now) => isAllowed(policies, access, now)),
      [false, true],
    );
    policies.delaySeconds = 0;
  });

  // https://cloud.google.com/iam/docs/service-accounts-delete-undelete
  it('marks an account that was deleted', async () => {
    const { call } = running();
    const { body } = await call('POST', accounts, { accountId: 'worker', serviceAccount: {} });
    const policy = await read();
    const binding = { role: 'roles/logging.logWriter', members: [`serviceAccount:${body.email}`] };
    await write({ ...policy, bindings: [...(policy.bindings as object[]), binding] });
    await call('DELETE', `${accounts}/${body.email}`);
    const marked = `deleted:serviceAccount:${body.email}?uid=${body.uniqueId}`;
    assert.ok(JSON.stringify(await read()).includes(marked));
  });
});
