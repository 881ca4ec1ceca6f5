import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { all, configurations, deployed, runDeployment } from '../../support/deployment-program.ts';
import type { Ran } from '../../support/pulumi-program.ts';

describe('a deployment beside another one', () => {
  it('is deterministic, so that a second update changes nothing', async () => {
    assert.deepEqual(await runDeployment(configurations.prod), await deployed('prod'));
  });

  it('is previewed with every resource that the update creates', async () => {
    const preview = await deployed('prod', { isPreview: true });
    const names = (ran: Ran) => ran.resources.map(({ type, name }) => `${type} ${name}`);
    assert.deepEqual(names(preview), names(await deployed('prod')));
  });

  it('can share a project with another deployment of a different name', async () => {
    const identify = ({ resources }: Ran) =>
      resources.flatMap(({ inputs }) => [
        inputs.name,
        inputs.database,
        inputs.user,
        inputs.accountId,
        inputs.secretId,
        inputs.repositoryId,
      ]);
    const [one, two] = [identify(await deployed('one')), identify(await deployed('two'))];
    const shared = one.filter((name) => name && two.includes(name));
    // The deployer of both, and an object in separate buckets.
    assert.deepEqual([...new Set(shared)].sort(), ['deploy@acme-prod.iam', 'source-0123abcd.zip']);
  });

  it('shares no grant with another deployment, so that removing one revokes nothing of the other', async () => {
    const listGrants = ({ resources }: Ran) =>
      resources
        .filter(({ inputs, isKept }) => 'role' in inputs && 'member' in inputs && !isKept)
        .map(({ type, inputs }) => `${type} ${JSON.stringify(inputs)}`);
    const [one, two] = [listGrants(await deployed('one')), listGrants(await deployed('two'))];
    assert.deepEqual(
      one.filter((grant) => two.includes(grant)),
      [],
    );
    assert.ok(one.length > 40);
  });

  it('shares no grant on their project, which both have the same accounts and the same instance in', async () => {
    const email = (name: string) => `${name}@acme-accounts.iam.gserviceaccount.com`;
    const names = ['build', 'capture', 'signed-capture', 'retry', 'replay', 'console', 'maintain'];
    const serviceAccounts = Object.fromEntries(names.map((name) => [name, email(name)]));
    const [one, two] = await Promise.all(
      [configurations.one, configurations.two].map(async (settings) => {
        const ran = await runDeployment({ ...settings, serviceAccounts });
        return all(ran, 'projects/iAMMember:IAMMember').map(({ inputs }) => JSON.stringify(inputs));
      }),
    );
    assert.ok(one && two && one.length >= 14);
    assert.deepEqual(
      one.filter((grant) => two.includes(grant)),
      [],
    );
  });

  it('uses only the project of its settings', async () => {
    const { resources } = await deployed('plain');
    const projects = resources
      .filter(({ inputs }) => 'project' in inputs)
      .map(({ inputs }) => inputs.project);
    assert.deepEqual([...new Set(projects)], ['acme-test']);
  });
});
