import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { diagnosticsOf, fail, succeed, useCloud } from '../deployment.ts';
import { assertUnchanged } from '../expectations.ts';
import type { Google } from '../google/google.ts';
import type { Stack } from '../stack.ts';

const deployer = 'user:ana@acme.example';
const key = 'projects/acme-dev/locations/us-central1/keyRings/data/cryptoKeys/dlo';

/** The risks that only Google Cloud can show, in the order of docs/deploy.md. */
describe('a first update, as docs/deploy.md expects it', () => {
  const cloud = useCloud('acme-dev', deployer);
  let stack: Stack;
  let google: Google;
  before(async () => {
    ({ google } = cloud());
    stack = await cloud().stack('dev');
    await stack.set('grantDelaySeconds', '0');
    await stack.set('kmsKey', key);
  });
  const failOnce = (call: RegExp, message: string) =>
    google.faults.push({ call, status: 'INVALID_ARGUMENT', message, times: 1 });

  it('names the service agent that may not use the key', async (t) => {
    const agent = 'service-1@gcp-sa-cloud-sql.iam.gserviceaccount.com';
    failOnce(/^POST sqladmin.*\/instances$/, `The service account ${agent} lacks access to ${key}.`);
    assert.match(diagnosticsOf(await fail(t, stack, 'up')), /gcp-sa-cloud-sql.*lacks access to/);
  });

  it('fails at an account that IAM does not know yet, and goes on with the next update', async (t) => {
    failOnce(/^POST .*:setIamPolicy$/, 'Service account dlo-build@acme-dev does not exist.');
    const ran = await fail(t, stack, 'up');
    assert.match(diagnosticsOf(ran), /Service account .* does not exist/);
  });

  it('names an instance that a killed update has left', async (t) => {
    const [name, other] = [
      'dlo-database-instance-0123abc',
      'projects/acme-dev/instances/dlo-database-instance-0123abc',
    ];
    google.resources.set(other, { name });
    assert.match(
      diagnosticsOf(await fail(t, stack, 'up')),
      new RegExp(`A killed update has made ${name} beside`),
    );
    google.resources.delete(other);
  });

  it('fails at a login without the roles that were asked for, which are granted by hand', async (t) => {
    google.ignoresDatabaseRoles = true;
    const said = diagnosticsOf(await fail(t, stack, 'up'));
    assert.match(said, /permission denied|must be|privilege/i);
    google.ignoresDatabaseRoles = false;
    const [instance] = cloud().sqlInstances.values();
    await instance?.query('grant cloudsqlsuperuser to "ana@acme.example"', 'postgres');
  });

  it('fails at grants that are not applied yet, and builds the functions with the next one', async (t) => {
    const { since } = google.policies;
    for (const grant of since.keys()) since.set(grant, grant.includes('dlo-build@') ? Date.now() : 0);
    google.policies.delaySeconds = 600;
    assert.match(diagnosticsOf(await fail(t, stack, 'up')), /does not have/);
    google.policies.delaySeconds = 0;
  });

  it('fails at the quotas of a new project', async (t) => {
    failOnce(
      /^BUILD .*dlo-capture$/,
      'Max instances must be set to 10 or fewer to set the requested total CPU.',
    );
    assert.match(diagnosticsOf(await fail(t, stack, 'up')), /Max instances must be set to 10 or fewer/);
  });

  it('is completed in the end, and left as it is', async (t) => {
    await succeed(t, stack, 'up');
    assertUnchanged(await succeed(t, stack, 'up'));
    const states = [...google.resources].flatMap(([name, { state }]) =>
      name.includes('/functions/') ? [state] : [],
    );
    assert.deepEqual(states, Array(5).fill('ACTIVE'));
  });
});
