import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { diagnosticsOf, fail, succeed, useCloud } from '../deployment.ts';
import { assertUnchanged, findByEnd, listMembers, listRemaining, listWrites } from '../expectations.ts';
import { addForeignResources } from '../foreign-resources.ts';
import type { Google } from '../google/google.ts';
import type { Stack } from '../stack.ts';

const deployer = 'serviceAccount:deploy@acme-prod.iam.gserviceaccount.com';

describe('a stack for production', () => {
  const cloud = useCloud('acme-prod', deployer);
  let stack: Stack;
  let google: Google;
  before(async () => {
    ({ google } = cloud());
    addForeignResources(google, deployer);
    stack = await cloud().stack('prod');
    // Grants of the stand-in are effective at once.
    await stack.set('grantDelaySeconds', '0');
  });

  it('is previewed without a call that changes something', async (t) => {
    const { changes } = await succeed(t, stack, 'preview');
    assert.ok(changes.created > 100);
    assert.deepEqual(listWrites(google), []);
  });

  it('is created by one update', async (t) => {
    await succeed(t, stack, 'up');
    const [instance] = [...google.resources].filter(([name]) => /\/instances\/[^/]+$/.test(name));
    const { deletionProtectionEnabled, availabilityType } = Object(instance?.[1].settings);
    assert.deepEqual([deletionProtectionEnabled, availabilityType], [true, 'REGIONAL']);
  });

  it('grants access to the sources and targets of other projects', () => {
    const topic = 'projects/acme-logistics/topics/shipments-retry';
    const member = 'serviceAccount:dlo-retry@acme-prod.iam.gserviceaccount.com';
    assert.deepEqual(listMembers(google, topic, 'roles/pubsub.publisher'), [member]);
  });

  it('is left as it is by another update, and by a refresh', async (t) => {
    const calls = google.calls.length;
    assertUnchanged(await succeed(t, stack, 'up'));
    assertUnchanged(await succeed(t, stack, 'refresh'));
    assert.deepEqual(listWrites(google, calls), []);
  });

  it('is not destroyed while its database is protected', async (t) => {
    const calls = google.calls.length;
    const ran = await fail(t, stack, 'destroy');
    assert.match(diagnosticsOf(ran), /protect/);
    assert.deepEqual(listWrites(google, calls), []);
  });

  it('can be destroyed once its protection is switched off, and leaves its exports', async (t) => {
    await stack.set('deletionProtection', 'false');
    await succeed(t, stack, 'up');
    await succeed(t, stack, 'destroy');
    const remaining = listRemaining(google).filter((name) => !name.startsWith('projects/acme-'));
    assert.equal(remaining.length, 1, remaining.join());
    assert.match(remaining[0] ?? '', /^b\/dlo-exports-bucket-/);
    assert.equal(findByEnd(google, remaining[0] ?? '').project, 'acme-prod');
  });
});
