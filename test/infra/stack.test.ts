import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { apis } from '../../infra/apis.ts';
import { exampleSettings, plainSettings, runOffice } from '../support/office-program.ts';
import type { Ran, Registered } from '../support/pulumi-program.ts';

const office = await runOffice(exampleSettings('prod'));
const isComponent = ({ type }: Registered) => type.startsWith('dead-letter-office:');
const isApi = (name: string) => name.startsWith('dlo-apis-');

describe('a whole office', () => {
  for (const stack of ['dev', 'prod'] as const) {
    it(`is in ${stack} what was reviewed: npm run stacks writes it anew`, async (t) => {
      const ran = await runOffice(exampleSettings(stack));
      t.assert.fileSnapshot(describeStack(ran), path.join(import.meta.dirname, `stacks/${stack}.txt`), {
        serializers: [String],
      });
    });
  }

  it('is the same each time, so that a second update changes nothing', async () => {
    assert.deepEqual(await runOffice(exampleSettings('prod')), office);
  });

  it('is previewed with every resource that the update makes', async () => {
    const preview = await runOffice(exampleSettings('prod'), { isPreview: true });
    const names = (ran: Ran) => ran.resources.map(({ type, name }) => `${type} ${name}`);
    assert.deepEqual(names(preview), names(office));
  });

  it('waits with everything until the APIs are switched on', () => {
    const waiting = office.resources.filter((each) => !isComponent(each) && !isApi(each.name));
    for (const { name, waitsFor } of waiting) assert.equal(waitsFor.filter(isApi).length, apis.length, name);
  });

  it('leaves the APIs on when it goes', () => {
    const services = office.resources.filter(({ type }) => type === 'gcp:projects/service:Service');
    assert.deepEqual(
      services.map(({ inputs }) => inputs.service),
      [...apis],
    );
    assert.ok(services.every(({ inputs }) => inputs.disableOnDestroy === false));
  });

  it('has every resource inside of a component, so that it can be part of another program', () => {
    const outside = office.resources.filter(({ parent }) => parent === '' || parent.endsWith('-test'));
    assert.deepEqual(
      outside.map(({ name }) => name),
      ['office'],
    );
  });

  it('stands beside another in one project under a name of its own', async () => {
    const other = await runOffice({ ...exampleSettings('prod'), name: 'two' });
    const identify = ({ resources }: Ran) =>
      resources.flatMap(({ inputs }) => [
        inputs.name,
        inputs.accountId,
        inputs.secretId,
        inputs.repositoryId,
      ]);
    const shared = identify(other).filter((name) => name && identify(office).includes(name));
    // One is who deploys both, the other is in a bucket of its own.
    assert.deepEqual([...new Set(shared)].sort(), ['deploy@acme-prod.iam', 'source-0123abcd.zip']);
  });

  it('takes nothing from the project that nobody gave it', async () => {
    const { resources } = await runOffice(plainSettings);
    const projects = resources
      .filter(({ inputs }) => 'project' in inputs)
      .map(({ inputs }) => inputs.project);
    assert.deepEqual([...new Set(projects)], ['acme-test']);
  });
});

/** A paragraph for each resource: type, name, where it belongs, what it is given, what it waits for; then the outputs. */
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

/** A dashboard is a text in itself, and is read only in lines. */
function describeValue(key: string, value: unknown): string {
  const isText = key === 'dashboardJson' && typeof value === 'string';
  return isText ? JSON.stringify(JSON.parse(value), null, 2).replaceAll('\n', '\n  ') : JSON.stringify(value);
}
