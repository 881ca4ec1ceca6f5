import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PrivateService } from '../../../infra/access/private-service.ts';
import { useCloudRunApi } from '../../support/cloud-run-api.ts';
import { registerInputs, useDynamicProvider } from '../../support/dynamic-provider.ts';

describe('a private service', () => {
  const api = useCloudRunApi();
  const provider = useDynamicProvider(() => ({
    GOOGLE_OAUTH_ACCESS_TOKEN: 'an-access-token',
    GOOGLE_CLOUD_RUN_V2_CUSTOM_ENDPOINT: `${api().url}/v2/`,
  }));
  const service = 'projects/acme/locations/europe-west1/services/dlo-console';
  const register = (iap = false) => registerInputs(() => new PrivateService('console', { service, iap }));
  const unchanged = { changes: false, replaces: [] };

  it('is created without a change if only named members may call it', async () => {
    const { id } = await provider().create(await register());
    assert.equal(id, service);
    assert.deepEqual(api().requests, [`GET /v2/${service}`, `GET /v2/${service}:getIamPolicy`]);
  });

  it('gets Identity-Aware Proxy in front of it, and loses it again', async () => {
    const { outs } = await provider().create(await register(true));
    assert.deepEqual(api().requests.slice(2, 3), [`PATCH /v2/${service}?updateMask=iapEnabled`]);
    assert.deepEqual(api().service, { iapEnabled: true });

    await provider().update(outs, await register(false));
    assert.deepEqual(api().service, { iapEnabled: false });
  });

  it('is unchanged as long as Cloud Run has what was deployed', async () => {
    const { outs } = await provider().create(await register(true));
    assert.deepEqual(await provider().diff(outs, await register(true)), unchanged);
  });

  it('gets Identity-Aware Proxy again after an update of the function switched it off', async () => {
    const inputs = await register(true);
    const { outs } = await provider().create(inputs);
    api().service = {};

    assert.deepEqual(await provider().diff(outs, inputs), { changes: true, replaces: [] });
    await provider().update(outs, inputs);
    assert.deepEqual(api().service, { iapEnabled: true });
  });

  for (const member of ['allUsers', 'allAuthenticatedUsers']) {
    it(`fails the preview and the update while ${member} may call it`, async () => {
      const inputs = await register();
      api().members = [member];
      const problem = new RegExp(`${member} has roles/run.invoker on dlo-console.* everyone an operator`);

      await assert.rejects(provider().diff(inputs, inputs), problem);
      await assert.rejects(provider().update(inputs, inputs), problem);
      await assert.rejects(provider().create(inputs), problem);
    });
  }

  it('fails the preview while Cloud Run does not check IAM for it', async () => {
    const inputs = await register();
    api().service = { invokerIamDisabled: true };
    await assert.rejects(provider().diff(inputs, inputs), /--invoker-iam-check/);
  });

  it('can be previewed without access to Cloud Run, and not updated', async () => {
    const inputs = await register();
    api().status = 403;
    assert.deepEqual(await provider().diff(inputs, inputs), unchanged);
    await assert.rejects(provider().update(inputs, inputs), /dlo-console: /);
  });
});
