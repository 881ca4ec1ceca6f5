import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { apis } from '../../infra/apis.ts';
import { exampleSettings, plainSettings, runDeployment } from '../support/deployment-program.ts';
import type { Ran, Registered } from '../support/pulumi-program.ts';

const deployment = await runDeployment(exampleSettings('prod'));
const isComponent = ({ type }: Registered) => type.startsWith('dead-letter-office:');
const isApi = (name: string) => name.startsWith('dlo-apis-');

describe('a complete deployment', () => {
  for (const stack of ['dev', 'prod'] as const) {
    it(`registers the reviewed resources in ${stack} (update: npm run stacks)`, async (t) => {
      const ran = await runDeployment(exampleSettings(stack));
      t.assert.fileSnapshot(describeStack(ran), path.join(import.meta.dirname, `stacks/${stack}.txt`), {
        serializers: [String],
      });
    });
  }

  it('is deterministic, so that a second update changes nothing', async () => {
    assert.deepEqual(await runDeployment(exampleSettings('prod')), deployment);
  });

  it('is previewed with every resource that the update creates', async () => {
    const preview = await runDeployment(exampleSettings('prod'), { isPreview: true });
    const names = (ran: Ran) => ran.resources.map(({ type, name }) => `${type} ${name}`);
    assert.deepEqual(names(preview), names(deployment));
  });

  it('creates resources only once the APIs are enabled', () => {
    const waiting = deployment.resources.filter((each) => !isComponent(each) && !isApi(each.name));
    for (const { name, waitsFor } of waiting) assert.equal(waitsFor.filter(isApi).length, apis.length, name);
  });

  it('leaves the APIs enabled when it is destroyed', () => {
    const services = deployment.resources.filter(({ type }) => type === 'gcp:projects/service:Service');
    assert.deepEqual(
      services.map(({ inputs }) => inputs.service),
      [...apis],
    );
    assert.ok(services.every(({ inputs }) => inputs.disableOnDestroy === false));
  });

  it('has every resource inside of a component, so that other programs can include it', () => {
    const outside = deployment.resources.filter(({ parent }) => parent === '' || parent.endsWith('-test'));
    assert.deepEqual(
      outside.map(({ name }) => name),
      ['dead-letter-office'],
    );
  });

  it('can share a project with another deployment of a different name', async () => {
    const other = await runDeployment({ ...exampleSettings('prod'), name: 'two' });
    const identify = ({ resources }: Ran) =>
      resources.flatMap(({ inputs }) => [
        inputs.name,
        inputs.database,
        inputs.user,
        inputs.accountId,
        inputs.secretId,
        inputs.repositoryId,
      ]);
    const shared = identify(other).filter((name) => name && identify(deployment).includes(name));
    // The deployer of both, and an object in separate buckets.
    assert.deepEqual([...new Set(shared)].sort(), ['deploy@acme-prod.iam', 'source-0123abcd.zip']);
  });

  it('shares no grant with another deployment, so that removing one revokes nothing of the other', async () => {
    const shared = {
      ...exampleSettings('prod'),
      existingInstance: 'acme-prod:europe-west1:main',
      maxConnections: 1000,
      captureSecrets: 'sixteen characters',
    };
    const listGrants = async (name: string) =>
      (await runDeployment({ ...shared, name })).resources
        .filter(({ inputs, isKept }) => 'role' in inputs && 'member' in inputs && !isKept)
        .map(({ type, inputs }) => `${type} ${JSON.stringify(inputs)}`);
    const [one, two] = [await listGrants('one'), await listGrants('two')];
    assert.deepEqual(
      one.filter((grant) => two.includes(grant)),
      [],
    );
    assert.ok(one.length > 40);
  });

  it('uses only the project of its settings', async () => {
    const { resources } = await runDeployment(plainSettings);
    const projects = resources
      .filter(({ inputs }) => 'project' in inputs)
      .map(({ inputs }) => inputs.project);
    assert.deepEqual([...new Set(projects)], ['acme-test']);
  });
});

/** Returns a paragraph for each resource (type, name, parent, inputs, dependencies), then the outputs. */
function describeStack({ resources, outputs }: Ran): string {
  const made = resources.filter((each) => !isComponent(each));
  const paragraphs = [`${made.length} resources`, ...made.map(describeResource)];
  return `${paragraphs.join('\n\n')}\n\noutputs\n${JSON.stringify(outputs, null, 2)}\n`;
}

function describeResource({ type, name, parent, inputs, protect, isKept, waitsFor }: Registered): string {
  const given = Object.entries(inputs).map(([key, value]) => `  ${key}: ${describeValue(key, value)}`);
  const others = waitsFor.filter((each) => !isApi(each));
  return [
    `${type} ${name} (${parent})${protect ? ' protected' : ''}${isKept ? ' kept' : ''}`,
    ...given,
    ...(others.length > 0 ? [`  waits for ${[...new Set(others)].join(', ')}`] : []),
  ].join('\n');
}

/** Indents the JSON of a dashboard, so that its diff is readable. */
function describeValue(key: string, value: unknown): string {
  const isText = key === 'dashboardJson' && typeof value === 'string';
  return isText ? JSON.stringify(JSON.parse(value), null, 2).replaceAll('\n', '\n  ') : JSON.stringify(value);
}
