import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSettings } from '../../../infra/check-settings.ts';
import { configurations, deployed, plainSettings, runDeployment } from '../../support/deployment-program.ts';
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

  const identify = ({ resources }: Ran) =>
    resources.flatMap(({ inputs }) => [
      inputs.name,
      inputs.database,
      inputs.user,
      inputs.accountId,
      inputs.secretId,
      inputs.repositoryId,
    ]);

  it('has no name that makes its resources those of another one', async () => {
    const prefix = configurations.one.name;
    const named = identify(await deployed('one')).map(String);
    const ends = new Set(
      named.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length)),
    );
    const middles = [...ends].flatMap((end) =>
      [...ends].flatMap((other) =>
        end !== other && other && end.endsWith(other) ? end.slice(0, -other.length) : [],
      ),
    );
    assert.ok(middles.includes('-signed'));
    for (const middle of new Set(middles))
      assert.throws(() => checkSettings({ ...plainSettings, name: `dlo${middle}` }), /\bname\b/, middle);
  });

  it('can share a project with another deployment of a different name', async () => {
    const [one, two] = [identify(await deployed('one')), identify(await deployed('two'))];
    const shared = one.filter((name) => name && two.includes(name));
    // The deployer of both, and an object in separate buckets.
    assert.deepEqual([...new Set(shared)].sort(), ['deploy@acme-prod.iam', 'source-0123abcd.zip']);
  });

  /** The grants that a removal revokes. */
  const listGrants = ({ resources }: Ran) =>
    resources
      .filter(({ inputs, isKept }) => 'role' in inputs && 'member' in inputs && !isKept)
      .map(({ type, inputs }) => `${type} ${JSON.stringify(inputs)}`);

  it('shares no grant with another deployment, so that removing one revokes nothing of the other', async () => {
    const [one, two] = [listGrants(await deployed('one')), listGrants(await deployed('two'))];
    assert.deepEqual(
      one.filter((grant) => two.includes(grant)),
      [],
    );
    assert.ok(one.length > 40);
  });

  it('shares no grant if both have the same accounts, instance, buckets, repository and topics', async () => {
    const email = (name: string) => `${name}@acme-accounts.iam.gserviceaccount.com`;
    const names = ['build', 'capture', 'signed-capture', 'retry', 'replay', 'console', 'maintain'];
    const common = {
      serviceAccounts: Object.fromEntries(names.map((name) => [name, email(name)])),
      sourceBucket: 'acme-sources',
      exportBucket: 'acme-exports',
      repository: `projects/${configurations.one.project}/locations/europe-west1/repositories/functions`,
      routes: [{ match: {}, target: { kind: 'pubsub', topic: 'projects/acme-prod/topics/retries' } }],
    };
    const [one, two] = await Promise.all(
      [configurations.one, configurations.two].map(async (settings) =>
        listGrants(await runDeployment({ ...settings, ...common })),
      ),
    );
    assert.ok(one && two && one.length >= 30);
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
