import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { diagnosticsOf, fail, succeed, useCloud } from '../deployment.ts';
import { assertUnchanged, listMembers, listWrites } from '../expectations.ts';
import type { Google } from '../google/google.ts';
import { addProject } from '../google/services/resource-manager.ts';
import { tokenOf } from '../google/tokens.ts';
import type { Stack } from '../stack.ts';
import { createProgram } from '../workspace.ts';

/** The owner of each project; the environment has the token of another account. */
const owners = { 'acme-one': 'user:ana@acme.example', 'acme-two': 'user:ben@acme.example' };
const projects = Object.keys(owners);

const program = `
  import { DeadLetterOffice } from '@dead-letter-office/pulumi';
  import { Provider } from '@pulumi/gcp/provider';
  import * as pulumi from '@pulumi/pulumi';
  const config = new pulumi.Config();
  for (const [project, deployer] of Object.entries(${JSON.stringify(owners)})) {
    const provider = new Provider(project, { project, accessToken: config.requireSecret(project) });
    const name = config.get('same') ?? project;
    new DeadLetterOffice(project, { project, name, deployer, grantDelaySeconds: 0 }, { provider });
  }
`;

describe('two deployments in two projects, each with a provider of its own', () => {
  const cloud = useCloud('acme-other', 'user:eve@acme.example', createProgram);
  let stack: Stack;
  let google: Google;
  before(async () => {
    ({ google } = cloud());
    await cloud().workspace.edit('index.ts', () => program);
    stack = await cloud().stack('dev');
    for (const [project, owner] of Object.entries(owners)) {
      addProject(google, project, owner);
      await stack.set(`acme-events:${project}`, tokenOf(owner));
    }
  });

  it('need names of their own', async (t) => {
    await stack.set('acme-events:same', 'dlo');
    const ran = await fail(t, stack, 'preview');
    assert.match(diagnosticsOf(ran), /Another deployment of this program has the name dlo/);
    await stack.unset('acme-events:same');
  });

  it('are created by one update, with the credentials of their providers only', async (t) => {
    await succeed(t, stack, 'up');
    assert.deepEqual([...google.callers].filter((each) => each.startsWith('user:')).sort(), [
      'user:ana@acme.example',
      'user:ben@acme.example',
    ]);
    for (const project of projects) {
      const service = `projects/${project}/locations/us-central1/services/${project}-capture`;
      const invokers = listMembers(google, service, 'roles/run.invoker');
      assert.deepEqual(invokers, [
        `serviceAccount:${project}-capture-push@${project}.iam.gserviceaccount.com`,
      ]);
    }
  });

  it('are left as they are by another update', async (t) => {
    const calls = google.calls.length;
    assertUnchanged(await succeed(t, stack, 'up'));
    assert.deepEqual(listWrites(google, calls), []);
  });

  it('keep everything when they are destroyed while protected, even without a preview', async (t) => {
    const before = [...google.resources.keys()].sort();
    const ran = await fail(t, stack, 'destroy', '--skip-preview');
    assert.match(diagnosticsOf(ran), /protect/);
    assert.deepEqual([...google.resources.keys()].sort(), before);
  });
});
