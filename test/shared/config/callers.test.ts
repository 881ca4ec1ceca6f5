import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../../shared/environment/config.ts';
import { refusalOf } from '../../support/problems.ts';

const database = { DATABASE_URL: 'postgres://h/d' };
const service = 'projects/acme/locations/europe-west1/services/dlo-replay';

describe('caller settings', () => {
  it('reject every caller by default', () => {
    const callers = { iapAudience: undefined, cloudRunService: undefined, local: undefined };

    assert.deepEqual(readConfig(database).callers, callers);
    const empty = { IAP_AUDIENCE: '', LOCAL_CALLER: '' };
    assert.deepEqual(readConfig({ ...database, ...empty }).callers, callers);
  });

  it('enable each authentication method that is set', () => {
    const env = {
      IAP_AUDIENCE: '/projects/1/global/backendServices/2',
      CLOUD_RUN_IAM: service,
      K_SERVICE: 'replay',
    };
    assert.deepEqual(readConfig({ ...database, ...env }).callers, {
      iapAudience: '/projects/1/global/backendServices/2',
      cloudRunService: service,
      local: undefined,
    });
  });

  for (const [env, problem] of [
    [
      { LOCAL_CALLER: 'ann', K_SERVICE: 'replay' },
      'LOCAL_CALLER: Remove it: on Cloud Run callers must authenticate.',
    ],
    [
      { CLOUD_RUN_IAM: service },
      'CLOUD_RUN_IAM: Remove it: only Cloud Run verifies tokens before the function.',
    ],
    [
      { CLOUD_RUN_IAM: 'true', K_SERVICE: 'replay' },
      'CLOUD_RUN_IAM: Must look like projects/PROJECT/locations/REGION/services/SERVICE.',
    ],
    [{ IAP_AUDIENCE: 'replay' }, 'IAP_AUDIENCE: Must look like /projects/NUMBER/...: IAP shows it.'],
    [{ FILTER_COST_LIMIT: 'all' }, 'FILTER_COST_LIMIT: Use a whole number from 0 to 1000000000.'],
  ] as const) {
    it(`reject ${JSON.stringify(env)}`, () => {
      const { problems } = refusalOf({ ...database, ...env });

      assert.deepEqual(
        problems.map(({ field, remedy }) => `${field}: ${remedy}`),
        [problem],
      );
    });
  }
});
