import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { diagnosticsOf, fail, succeed, useCloud } from '../deployment.ts';
import { assertUnchanged, listMembers, listWrites } from '../expectations.ts';
import type { Google } from '../google/google.ts';
import { addInstance } from '../google/services/cloud-sql.ts';
import type { Stack } from '../stack.ts';

const deployer = 'user:ana@acme.example';

describe('two stacks on an existing instance of one project', () => {
  const cloud = useCloud('acme-dev', deployer);
  let google: Google;
  let one: Stack;
  let two: Stack;
  before(async () => {
    ({ google } = cloud());
    await addInstance(google, cloud().sqlInstances, 'acme-dev:us-central1:shared');
    two = await cloud().copyStack('dev', 'two');
    one = await cloud().stack('dev');
    await two.set('name', 'two');
    for (const stack of [one, two]) {
      await stack.set('existingInstance', 'acme-dev:us-central1:shared');
      await stack.set('maxConnections', '100');
    }
  });

  it('are created although new grants take half a minute to be applied', async (t) => {
    google.policies.delaySeconds = 30;
    for (const stack of [one, two]) {
      await stack.set('grantDelaySeconds', '35');
      await succeed(t, stack, 'up');
    }
    assert.deepEqual(listStates(), Array(10).fill('ACTIVE'));
  });

  it('are not joined by a third one of the same name, which makes nothing', async (t) => {
    const third = await cloud().copyStack('dev', 'three');
    const calls = google.calls.length;
    assert.match(diagnosticsOf(await fail(t, third, 'up')), /Set a name that is new in its project/);
    assert.deepEqual(listWrites(google, calls), []);
  });

  it('are both left as they are by another update', async (t) => {
    const calls = google.calls.length;
    for (const stack of [one, two]) assertUnchanged(await succeed(t, stack, 'up'));
    assert.deepEqual(listWrites(google, calls), []);
  });

  it('do not lose anything by the destruction of the other', async (t) => {
    const before = listGrants(google, 'dlo-');
    await succeed(t, two, 'destroy');
    assert.deepEqual(listGrants(google, 'dlo-'), before);
    assertUnchanged(await succeed(t, one, 'up', '--refresh'));
  });

  it('can be created again, with the events that the instance kept', async (t) => {
    await query("select from dlq_capture('order.created', '{}'::jsonb)");
    await succeed(t, one, 'destroy');
    await succeed(t, one, 'up');
    assert.deepEqual(await query('select count(*)::int as events from dlq_events'), [{ events: 1 }]);
  });

  const listStates = () =>
    [...google.resources].filter(([name]) => /\/functions\//.test(name)).map(([, { state }]) => state);
  const query = (statement: string) => {
    const [instance] = cloud().sqlInstances.values();
    assert.ok(instance);
    return instance.query(statement, 'dlo');
  };
});

/** Members of the project's roles for the database, whose names begin so, and the deployer. */
function listGrants(google: Google, prefix: string): string[] {
  return ['roles/cloudsql.client', 'roles/cloudsql.instanceUser'].flatMap((role) =>
    listMembers(google, 'projects/acme-dev', role).filter(
      (member) => member === deployer || member.startsWith(`serviceAccount:${prefix}`),
    ),
  );
}
