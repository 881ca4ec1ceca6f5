import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { listAccessChanges, type ServiceAccess } from '../../../infra/rollout/restore-access.ts';
import { withGoogle } from '../../support/google.ts';

const service = 'projects/acme/locations/europe-west1/services/dlo-console';
const ann = 'user:ann@example.com';
const usual: ServiceAccess = {
  grants: [{ role: 'roles/run.invoker', member: ann }],
  isPrivate: true,
  iap: false,
};
const behindIap: ServiceAccess = { ...usual, iap: true };

describe('the access to a service', () => {
  const url = `run.googleapis.com/v2/${service}`;
  const google = withGoogle();
  let deployed: object;
  let policy: { etag?: string; bindings?: object[] };
  const invokedBy = (...members: string[]) => ({ role: 'roles/run.invoker', members });
  beforeEach(() => {
    deployed = {};
    policy = { etag: 'one', bindings: [invokedBy(ann)] };
    google.requests.length = 0;
    google.answer = ({ method, url: asked, body }) => {
      if (asked === `${url}:getIamPolicy`) return policy;
      if (asked === `${url}:setIamPolicy`) {
        ({ policy } = body as { policy: typeof policy });
        return policy;
      }
      if (asked.endsWith('/operations/1')) return { name: 'operations/1', done: true };
      if (method !== 'PATCH') return deployed;
      deployed = { ...deployed, ...Object(body) };
      return { name: 'operations/1', done: false };
    };
  });
  const list = (wanted = usual) => listAccessChanges(google.ask, service, wanted);
  const differs = async (wanted = usual) => (await list(wanted)).length > 0;
  const restore = async (wanted = usual) => {
    for (const change of await list(wanted)) await change();
  };

  it('is left as it is if its callers may call it', async () => {
    await restore();
    assert.equal(await differs(), false);
    assert.deepEqual(
      google.requests.filter((request) => !request.startsWith('GET ')),
      [],
    );
  });

  it('is given back to its callers after an update that lost its policy, beside those of others', async () => {
    const others = { role: 'roles/run.viewer', members: ['user:eve@example.com'] };
    policy = { etag: 'two', bindings: [others] };
    assert.equal(await differs(), true);
    await restore();
    assert.deepEqual(policy, { etag: 'two', bindings: [others, invokedBy(ann)] });
    assert.equal(await differs(), false);
  });

  it('is given back with each role that it needs', async () => {
    const reading = { role: 'roles/run.viewer', member: ann };
    const calling = { role: 'roles/run.invoker', member: 'user:ben@example.com' };
    const wanted = { ...usual, grants: [...usual.grants, reading, calling] };
    assert.equal(await differs(wanted), true);
    await restore(wanted);
    assert.deepEqual(policy.bindings, [
      { role: reading.role, members: [ann] },
      invokedBy(ann, calling.member),
    ]);
  });

  it('is not given by a grant that has a condition', async () => {
    policy = { bindings: [{ ...invokedBy(ann), condition: { title: 'at night' } }] };
    assert.equal(await differs(), true);
  });

  it('gets Identity-Aware Proxy in front of it, and loses it again', async () => {
    await restore(behindIap);
    assert.deepEqual(deployed, { iapEnabled: true });
    await restore();
    assert.deepEqual(deployed, { iapEnabled: false });
  });

  it('reports that the service has been deleted since it was read', async () => {
    const [switchIap] = await list(behindIap);
    google.answer = () => undefined;
    await assert.rejects(switchIap?.() ?? Promise.resolve(), /answered 404: Not found/);
  });

  it('gets Identity-Aware Proxy again after an update of the function switched it off', async () => {
    assert.equal(await differs(behindIap), true);
    await restore(behindIap);
    assert.equal(await differs(behindIap), false);
  });

  for (const member of ['allUsers', 'allAuthenticatedUsers']) {
    it(`fails the preview and the update while ${member} may call it`, async () => {
      policy = { bindings: [invokedBy(member)] };
      const problem = new RegExp(`${member} has roles/run.invoker on dlo-console.* everyone an operator`);
      await assert.rejects(list(), problem);
    });
  }

  it('may be public for signed captures', async () => {
    policy = { bindings: [invokedBy('allUsers')] };
    const grants = [{ role: 'roles/run.invoker', member: 'allUsers' }];
    const open = { grants, isPrivate: false, iap: false };
    assert.equal(await differs(open), false);
  });

  it('fails the preview while Cloud Run does not check IAM for it', async () => {
    deployed = { invokerIamDisabled: true };
    await assert.rejects(differs(), /--invoker-iam-check/);
  });

  it('is nothing to restore of a service that was deleted', async () => {
    google.answer = () => undefined;
    assert.equal(await differs(), false);
  });
});
