import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { privateService } from '../../../infra/access/check-access.ts';
import { withGoogle } from '../../support/google.ts';

const service = 'projects/acme/locations/europe-west1/services/dlo-console';
const [open, behindIap] = [false, true].map((iap) => ({ service, iap })) as [Inputs, Inputs];
type Inputs = { readonly service: string; readonly iap: boolean };

describe('a private service', () => {
  const url = `run.googleapis.com/v2/${service}`;
  const google = withGoogle();
  let deployed: object;
  let members: readonly string[];
  beforeEach(() => {
    deployed = {};
    members = ['user:ann@example.com'];
    google.requests.length = 0;
    google.answer = ({ method, url: asked, body }) => {
      if (asked === `${url}:getIamPolicy`) return { bindings: [{ role: 'roles/run.invoker', members }] };
      if (asked.endsWith('/operations/1')) return { name: 'operations/1', done: true };
      if (method !== 'PATCH') return deployed;
      deployed = { ...deployed, ...Object(body) };
      return { name: 'operations/1', done: false };
    };
  });

  it('is created without a change if only named members may call it', async () => {
    await privateService.apply(google, open);
    assert.deepEqual(google.requests, [`GET ${url}`, `GET ${url}:getIamPolicy`]);
  });

  it('gets Identity-Aware Proxy in front of it, and loses it again', async () => {
    await privateService.apply(google, behindIap);
    assert.deepEqual(deployed, { iapEnabled: true });
    await privateService.apply(google, open, behindIap);
    assert.deepEqual(deployed, { iapEnabled: false });
  });

  it('is unchanged as long as Cloud Run has what was deployed', async () => {
    await privateService.apply(google, behindIap);
    assert.equal(await privateService.hasChanged(google, behindIap, behindIap), false);
  });

  it('gets Identity-Aware Proxy again after an update of the function switched it off', async () => {
    assert.equal(await privateService.hasChanged(google, behindIap, behindIap), true);
    await privateService.apply(google, behindIap, behindIap);
    assert.deepEqual(deployed, { iapEnabled: true });
  });

  for (const member of ['allUsers', 'allAuthenticatedUsers']) {
    it(`fails the preview and the update while ${member} may call it`, async () => {
      members = [member];
      const problem = new RegExp(`${member} has roles/run.invoker on dlo-console.* everyone an operator`);
      await assert.rejects(privateService.hasChanged(google, open, open), problem);
      await assert.rejects(privateService.apply(google, open), problem);
    });
  }

  it('fails the preview while Cloud Run does not check IAM for it', async () => {
    deployed = { invokerIamDisabled: true };
    await assert.rejects(privateService.hasChanged(google, open, open), /--invoker-iam-check/);
  });

  it('can be previewed without access to Cloud Run, and not updated', async () => {
    google.answer = () => ({ error: { code: 403, message: 'Denied.' } });
    assert.equal(await privateService.hasChanged(google, open, open), false);
    await assert.rejects(privateService.apply(google, open), /answered 403: Denied/);
  });
});
