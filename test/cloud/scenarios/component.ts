import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { diagnosticsOf, fail, succeed, useCloud } from '../deployment.ts';
import { assertUnchanged, findByEnd, listWrites } from '../expectations.ts';
import { type Google, insert } from '../google/google.ts';
import type { Stack } from '../stack.ts';
import { createProgram } from '../workspace.ts';

const deployer = 'user:ana@acme.example';
const key = 'projects/acme-events/locations/us-central1/keyRings/data/cryptoKeys/dlo';

describe('the component in the program of a team', () => {
  const cloud = useCloud('acme-events', deployer, createProgram);
  let stack: Stack;
  let google: Google;
  before(async () => {
    ({ google } = cloud());
    const orders = 'projects/acme-events/subscriptions/orders';
    insert(google, orders, { name: orders });
    stack = await cloud().stack('dev');
    await stack.set('gcp:project', 'acme-events');
    await stack.set('acme-events:deployer', deployer);
    // Grants of the stand-in are effective at once.
    await set('grantDelaySeconds: 0');
  });
  /** Adds an argument of the component, or replaces its value. */
  const set = (argument: string) => {
    const [name] = argument.split(':');
    return cloud().workspace.edit('index.ts', (code) =>
      code
        .replace(new RegExp(`\\n  ${name}: [^\\n]*`), '')
        .replace(/\n {2}project,/, `\n  project,\n  ${argument},`),
    );
  };
  const scheduleOf = () => findByEnd(google, 'jobs/dlo-retry').schedule;
  const listInstances = () => [...google.resources.keys()].filter((name) => /\/instances\/[^/]+$/.test(name));

  it('is deployed by its example', async (t) => {
    const { output } = await succeed(t, stack, 'up');
    assert.doesNotMatch(output, /refresh: always/);
    assertUnchanged(await succeed(t, stack, 'up'));
  });

  it('repeats an update that Google Cloud refused', async (t) => {
    await set(`schedule: '0 */4 * * *'`);
    google.faults.push({ call: /^PATCH cloudscheduler.*dlo-retry$/, status: 'PERMISSION_DENIED', times: 1 });
    await fail(t, stack, 'up');
    await succeed(t, stack, 'up');
    assert.equal(scheduleOf(), '0 */4 * * *');
  });

  it('says what its project has to set, without which the update is repaired by --refresh', async (t) => {
    await cloud().workspace.edit('Pulumi.yaml', (text) =>
      text.replace(/\noptions:\n {2}refresh: always/, ''),
    );
    await set(`schedule: '0 */5 * * *'`);
    google.faults.push({ call: /^PATCH cloudscheduler.*dlo-retry$/, status: 'PERMISSION_DENIED', times: 1 });
    const { output } = await fail(t, stack, 'up');
    assert.match(output, /Pulumi\.yaml has no "options: \{refresh: always\}"/);
    await succeed(t, stack, 'up', '--refresh');
    assert.equal(scheduleOf(), '0 */5 * * *');
  });

  it('refuses another key in the preview, protected or not, and changes nothing', async (t) => {
    const [before, calls] = [listInstances(), google.calls.length];
    const restore = await set(`kmsKey: '${key}'`);
    for (const command of ['preview', 'up'] as const) {
      const ran = await fail(t, stack, command);
      assert.match(diagnosticsOf(ran), /Cannot change kmsKey.*docs\/deploy\.md#moving/);
    }
    assert.deepEqual(listWrites(google, calls), []);
    await restore();
    await set('deletionProtection: false');
    await succeed(t, stack, 'up');
    const unprotected = google.calls.length;
    await set(`kmsKey: '${key}'`);
    assert.match(diagnosticsOf(await fail(t, stack, 'up', '--skip-preview')), /Cannot change kmsKey/);
    assert.deepEqual([listInstances(), listWrites(google, unprotected)], [before, []]);
  });
});
