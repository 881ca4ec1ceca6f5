import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type AssertGuarded, openInvokerPolicy } from '../../../functions/identity/invoker-policy.ts';
import { useCloudRunApi } from '../../support/cloud-run-api.ts';
import { useMetadataServer } from '../../support/metadata-server.ts';

describe('the guard of a service on Cloud Run', () => {
  useMetadataServer();
  const api = useCloudRunApi();
  const service = 'projects/acme/locations/europe-west1/services/dlo-console';
  let seconds = 0;
  let assertGuarded: AssertGuarded;
  beforeEach(() => {
    seconds = 0;
    assertGuarded = openInvokerPolicy(service, api().url, () => seconds * 1000);
  });

  it('passes while only named members may call the service', async () => {
    await assertGuarded();
    assert.deepEqual(api().requests.sort(), [`GET /v2/${service}`, `GET /v2/${service}:getIamPolicy`]);
  });

  for (const member of ['allUsers', 'allAuthenticatedUsers']) {
    it(`fails if ${member} may call the service, and says what to remove`, async () => {
      api().members = ['user:ann@example.com', member];
      await assert.rejects(assertGuarded(), {
        code: 'IDENTITY_UNAVAILABLE',
        message: new RegExp(
          `^${member} has roles/run.invoker on dlo-console, .* gcloud run services remove-iam-policy-binding dlo-console --project=acme --region=europe-west1 --member=${member} --role=roles/run.invoker\\.`,
        ),
      });
    });
  }

  it('fails if Cloud Run does not check IAM for the service', async () => {
    api().service = { invokerIamDisabled: true };
    await assert.rejects(
      assertGuarded(),
      /Cloud Run does not check IAM for dlo-console, .* --invoker-iam-check\./,
    );
  });

  it('fails if Cloud Run does not answer, and asks again for the next caller', async () => {
    api().status = 403;
    await assert.rejects(assertGuarded(), {
      code: 'IDENTITY_UNAVAILABLE',
      message: /The service account needs roles\/run\.viewer/,
    });
    api().status = 200;
    await assertGuarded();
  });

  it('notices a grant by hand after 10 s, and asks once for concurrent callers', async () => {
    await Promise.all(Array.from({ length: 5 }, () => assertGuarded()));
    api().members = ['allUsers'];
    seconds = 9;
    await assertGuarded();
    assert.equal(api().requests.length, 2);

    seconds = 10;
    await assert.rejects(assertGuarded(), /allUsers/);
  });
});
