import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RolloutInputs } from '../../../infra/rollout/verify-rollout.ts';
import {
  all,
  allOwn,
  at,
  configurations,
  deployed,
  find,
  runDeployment,
} from '../../support/deployment-program.ts';
import type { Ran } from '../../support/pulumi-program.ts';

const users = configurations.full;
const byGroups = await deployed('full');
const byNames = await deployed('elsewhere');
const prod = await deployed('prod');

const consoleOf = (ran: Ran) => {
  const { inputs } = find(ran, 'cloudfunctionsv2/function:Function', 'dlo-console-function');
  return at(inputs, 'serviceConfig', 'environmentVariables') as Record<string, string>;
};
const admitted = (ran: Ran) =>
  all(ran, 'iap/webCloudRunServiceIamMember:WebCloudRunServiceIamMember').map(({ inputs }) => inputs);
const rolesOnConsole = (ran: Ran) =>
  all(ran, 'cloudrunv2/serviceIamMember:ServiceIamMember')
    .filter(({ inputs }) => inputs.name === 'dlo-console')
    .map(({ inputs }) => `${inputs.member} ${inputs.role}`);
const servicesOf = (ran: Ran) => allOwn(ran, 'Rollout')[0]?.inputs.services as RolloutInputs['services'];

describe('the console', () => {
  it('admits operators whose addresses differ in a sign only', async () => {
    const operators = ['user:a.b@acme.example', 'user:a-b@acme.example'];
    const ran = await runDeployment({ ...configurations.plain, operators });
    for (const operator of operators) {
      const roles = rolesOnConsole(ran).filter((each) => each.startsWith(`${operator} `));
      assert.deepEqual(roles.sort(), [`${operator} roles/run.invoker`, `${operator} roles/run.viewer`]);
    }
    const names = ran.resources.map(({ type, name }) => `${type} ${name}`);
    assert.equal(new Set(names).size, names.length);
  });
});

describe('the console behind Identity-Aware Proxy', () => {
  it('admits operators and viewers, groups and domains among them', () => {
    assert.deepEqual(
      admitted(byGroups).map(({ member, role, cloudRunServiceName }) => [member, role, cloudRunServiceName]),
      [...users.viewers, ...users.operators]
        .sort((a, b) => a.localeCompare(b))
        .map((member) => [member, 'roles/iap.httpsResourceAccessor', 'dlo-console']),
    );
  });

  it('admits nobody before its service is there', () => {
    const grants = all(byGroups, 'iap/webCloudRunServiceIamMember:WebCloudRunServiceIamMember');
    assert.equal(grants.length, 4);
    for (const { waitsFor } of grants) assert.ok(waitsFor.includes('dlo-console-function'));
  });

  it('can be called by Identity-Aware Proxy only', () => {
    assert.deepEqual(rolesOnConsole(byGroups), [
      'serviceAccount:service-1234567890@gcp-sa-iap.iam.gserviceaccount.com roles/run.invoker',
    ]);
  });

  it('expects assertions for itself, and believes no other token', () => {
    const { IAP_AUDIENCE, CLOUD_RUN_IAM } = consoleOf(byGroups);
    assert.equal(IAP_AUDIENCE, '/projects/1234567890/locations/europe-west1/services/dlo-console');
    assert.equal(CLOUD_RUN_IAM, undefined);
  });

  it('lets viewers in everywhere but below the path of operators, if operators are in a group', () => {
    const condition = {
      title: 'not as an operator',
      expression: '!request.path.startsWith("/operator/")',
    };
    for (const { member, condition: found } of admitted(byGroups)) {
      const expected = users.viewers.includes(String(member)) ? condition : undefined;
      assert.deepEqual(found, expected, String(member));
    }
    assert.deepEqual(
      admitted(byNames).map(({ condition: found }) => found),
      [undefined, undefined],
    );
  });

  it('gives the members of a group the role of the group, and others the role of their name', () => {
    assert.equal(consoleOf(byGroups).CONSOLE_OPERATORS, 'ana@acme.example,*');
    assert.equal(consoleOf(byGroups).CONSOLE_VIEWERS, '*,*@acme.example');
    assert.equal(consoleOf(byNames).CONSOLE_OPERATORS, 'ben@acme.example');
  });

  it('is opened by its address, operators in a group by one of their own', () => {
    const { next } = byGroups.outputs as { next: Record<string, string> };
    assert.equal(next.openConsole, 'https://dlo-console-abc123-ew.a.run.app');
    assert.equal(next.openConsoleAsOperator, 'https://dlo-console-abc123-ew.a.run.app/operator/');
  });
});

describe('console and API', () => {
  it('are deployed only while everyone else is kept out', () => {
    const service = (name: string) => `projects/acme-prod/locations/europe-west1/services/dlo-${name}`;
    const found = (ran: Ran) =>
      servicesOf(ran)
        .flatMap(({ service: name, access }) => (access.isPrivate ? [[name, access.iap]] : []))
        .sort();
    assert.deepEqual(found(byGroups), [
      [service('console'), true],
      [service('replay'), false],
    ]);
    assert.deepEqual(found(prod), [
      [service('console'), false],
      [service('replay'), false],
    ]);
  });
});

describe('the console without Identity-Aware Proxy', () => {
  const env = consoleOf(prod);

  it('trusts the authentication of Cloud Run, and may read who can call it', () => {
    assert.equal(env.CLOUD_RUN_IAM, 'projects/acme-prod/locations/europe-west1/services/dlo-console');
    const grant = find(prod, 'cloudrunv2/serviceIamMember:ServiceIamMember', 'dlo-console-reads-its-policy');
    assert.equal(grant.inputs.role, 'roles/run.viewer');
    assert.equal(grant.inputs.name, 'dlo-console');
    assert.equal(grant.inputs.member, 'serviceAccount:dlo-console@acme-prod.iam.gserviceaccount.com');
  });

  it('can be opened by the proxy command, which reads the service before it calls it', () => {
    const roles = all(prod, 'cloudrunv2/serviceIamMember:ServiceIamMember')
      .filter(({ inputs }) => inputs.name === 'dlo-console' && inputs.member === 'domain:acme.example')
      .map(({ inputs }) => inputs.role);
    assert.deepEqual(roles.sort(), ['roles/run.invoker', 'roles/run.viewer']);
  });

  it('gets the addresses of operators and viewers', () => {
    assert.equal(env.CONSOLE_OPERATORS, 'ana@acme.example,ben@acme.example');
    assert.equal(env.CONSOLE_VIEWERS, '*@acme.example');
  });
});
