import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { diagnosticsOf, fail, succeed, useCloud } from '../deployment.ts';
import { assertUnchanged, findByEnd, listMembers, listRemaining, listWrites } from '../expectations.ts';
import type { Google } from '../google/google.ts';
import { writePolicy } from '../google/policies.ts';
import type { Stack } from '../stack.ts';

const location = 'projects/acme-dev/locations/us-central1';
const service = (name: string) => `${location}/services/dlo-${name}`;

describe('a stack for development', () => {
  const cloud = useCloud('acme-dev', 'user:ana@acme.example');
  let stack: Stack;
  let google: Google;
  let removeMigration = async () => {};
  before(async () => {
    ({ google } = cloud());
    stack = await cloud().stack('dev');
    // Grants of the stand-in are effective at once.
    await stack.set('grantDelaySeconds', '0');
  });
  const served = (name: string) => google.revisions.get(service(name));
  const failNextBuild = (name: string) =>
    google.faults.push({ call: new RegExp(`BUILD .*dlo-${name}$`), status: 'INTERNAL', times: 1 });

  it('is previewed without a call that changes something', async (t) => {
    const { changes } = await succeed(t, stack, 'preview');
    assert.ok(changes.created > 100);
    assert.deepEqual(listWrites(google), []);
  });

  it('reports a function whose first build fails', async (t) => {
    failNextBuild('replay');
    const ran = await fail(t, stack, 'up');
    assert.match(diagnosticsOf(ran), /dlo-replay/);
    assert.equal(served('replay'), undefined);
  });

  it('is completed by the next update', async (t) => {
    await succeed(t, stack, 'up');
    assert.equal(served('replay')?.number, 1);
    assert.equal(findByEnd(google, 'functions/dlo-replay').state, 'ACTIVE');
  });

  it('is left as it is by another update', async (t) => {
    const calls = google.calls.length;
    assertUnchanged(await succeed(t, stack, 'up'));
    assert.deepEqual(listWrites(google, calls), []);
  });

  it('has nothing that a refresh would change', async (t) => {
    assertUnchanged(await succeed(t, stack, 'refresh'));
  });

  it('prints at most 60 lines in a pipeline if nothing changes', async (t) => {
    const ran = await succeed(t, stack, 'up', '--diff', '--suppress-progress', '--suppress-outputs');
    assertUnchanged(ran);
    const lines = ran.output.trimEnd().split('\n').length;
    t.diagnostic(`dev: ${lines} lines`);
    assert.ok(lines <= 60, ran.output);
  });

  it('changes one resource for another schedule', async (t) => {
    await stack.set('schedule', '0 */3 * * *');
    const { changes } = await succeed(t, stack, 'up');
    assert.equal(findByEnd(google, 'jobs/dlo-retry').schedule, '0 */3 * * *');
    assert.equal(changes.created + changes.deleted + changes.replaced, 0);
  });

  it('deploys another bundle to all functions, and gives their callers back what that loses', async (t) => {
    const before = served('capture')?.archive;
    const roles = ['roles/run.invoker', 'roles/run.viewer'];
    const listAll = () =>
      ['capture', 'retry', 'replay', 'console', 'maintain'].map((name) =>
        roles.map((role) => listMembers(google, service(name), role)),
      );
    const callers = listAll();
    await changeCode('first change');
    google.losesPolicies = true;
    const { changes } = await succeed(t, stack, 'up');
    google.losesPolicies = false;
    assert.equal(changes.created, 0);
    assert.deepEqual(listAll(), callers);
    for (const name of ['capture', 'retry', 'replay', 'console', 'maintain']) {
      assert.notDeepEqual(served(name)?.archive, before, name);
      assert.equal(served(name)?.archive.length, served('capture')?.archive.length);
    }
  });

  it('reports a function whose build fails, which goes on serving what it served', async (t) => {
    const before = served('capture');
    await changeCode('second change');
    failNextBuild('capture');
    const ran = await fail(t, stack, 'up');
    assert.match(diagnosticsOf(ran), /dlo-capture/);
    assert.equal(served('capture'), before);
  });

  it('builds that function again with the next update', async (t) => {
    await succeed(t, stack, 'up');
    assert.deepEqual(served('capture')?.archive, served('maintain')?.archive);
    assertUnchanged(await succeed(t, stack, 'up'));
  });

  it('changes no function if a migration fails', async (t) => {
    const before = served('capture');
    await changeCode('third change');
    removeMigration = await cloud().workspace.add(
      'migrations/900_new.sql',
      'create table dlq_new (id missing_type);',
    );
    const ran = await fail(t, stack, 'up');
    assert.match(diagnosticsOf(ran), /900_new/);
    assert.match(diagnosticsOf(ran), /missing_type/);
    assert.equal(served('capture'), before);
  });

  it('migrates and deploys once the migration is repaired', async (t) => {
    await removeMigration();
    removeMigration = await cloud().workspace.add(
      'migrations/900_new.sql',
      'create table dlq_new (id bigint);',
    );
    await succeed(t, stack, 'up');
    const tables = await query('select tableowner from pg_tables where tablename = $$dlq_new$$');
    assert.deepEqual(tables, [{ tableowner: 'dlq_owner' }]);
  });
  it('restores a grant that was revoked and a schedule that was changed by hand', async (t) => {
    const before = listMembers(google, service('capture'), 'roles/run.invoker');
    writePolicy(google.policies, service('capture'), { bindings: [] });
    Object.assign(findJob(), { schedule: '0 0 1 1 *' });
    await succeed(t, stack, 'up');
    assert.deepEqual(listMembers(google, service('capture'), 'roles/run.invoker'), before);
    assert.equal(findJob().schedule, '0 */3 * * *');
  });

  it('opens its console by Identity-Aware Proxy, and without it again', async (t) => {
    const proxied = 'projects/acme-dev/iap_web/cloud_run-us-central1/services/dlo-console';
    const listAdmitted = () => listMembers(google, proxied, 'roles/iap.httpsResourceAccessor');
    await stack.set('iap', 'true');
    await succeed(t, stack, 'up');
    const isProxied = () => google.resources.get(service('console'))?.iapEnabled === true;
    assert.deepEqual([isProxied(), listAdmitted()], [true, ['user:ana@acme.example']]);
    assertUnchanged(await succeed(t, stack, 'up'));
    await stack.set('iap', 'false');
    await succeed(t, stack, 'up');
    assert.deepEqual([isProxied(), listAdmitted()], [false, []]);
    const callers = listMembers(google, service('console'), 'roles/run.invoker');
    assert.deepEqual(callers, ['user:ana@acme.example']);
  });

  it('repeats an update that Google Cloud refused', async (t) => {
    await stack.set('schedule', '0 */4 * * *');
    google.faults.push({ call: /^PATCH cloudscheduler.*dlo-retry$/, status: 'PERMISSION_DENIED', times: 1 });
    await fail(t, stack, 'up');
    await succeed(t, stack, 'up');
    assert.equal(findJob().schedule, '0 */4 * * *');
  });

  it('is destroyed without a remainder', async (t) => {
    await succeed(t, stack, 'destroy');
    assert.deepEqual(listRemaining(google), []);
  });

  const findJob = () => google.resources.get(`${location}/jobs/dlo-retry`) ?? {};
  const changeCode = (text: string) =>
    cloud().workspace.edit(
      'functions/startup.ts',
      (code) => `${code}\nconsole.debug(${JSON.stringify(text)});\n`,
    );
  const query = (statement: string) => {
    const [instance] = cloud().sqlInstances.values();
    assert.ok(instance);
    return instance.query(statement, 'dlo');
  };
});
