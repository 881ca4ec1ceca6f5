import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { apis } from '../../../infra/apis.ts';
import { deployed } from '../../support/deployment-program.ts';
import type { Ran, Registered } from '../../support/pulumi-program.ts';

const deployment = await deployed('prod');
const isComponent = ({ type }: Registered) => type.startsWith('dead-letter-office:');
const isOrigin = ({ type }: Registered) => type.endsWith(':Origin');
const isApi = (name: string) => name.startsWith('dlo-apis-');

describe('a complete deployment', () => {
  it('registers the reviewed resources of the example for production (update: npm run renew)', (t) => {
    t.assert.fileSnapshot(describeStack(deployment), path.join(import.meta.dirname, 'prod.txt'), {
      serializers: [String],
    });
  });

  it('creates resources only once the APIs are enabled', () => {
    const waiting = deployment.resources.filter(
      (each) => !isComponent(each) && !isApi(each.name) && !isOrigin(each),
    );
    for (const { name, waitsFor } of waiting) assert.equal(waitsFor.filter(isApi).length, apis.length, name);
  });

  it('makes nothing before it is known that no setting of its creation has changed', () => {
    const enabled = deployment.resources.filter(({ type }) => type === 'gcp:projects/service:Service');
    assert.equal(enabled.length, apis.length);
    for (const { name, waitsFor } of enabled) assert.deepEqual(waitsFor, ['dlo-origin'], name);
  });

  it('leaves the APIs enabled when it is destroyed', () => {
    const services = deployment.resources.filter(({ type }) => type === 'gcp:projects/service:Service');
    assert.deepEqual(
      services.map(({ inputs }) => inputs.service),
      [...apis],
    );
    assert.ok(services.every(({ inputs }) => inputs.disableOnDestroy === false));
  });

  it('is destroyed from its end, which is protected: everything else waits for that', () => {
    const { resources } = deployment;
    const reached = new Set(['dlo-rollout']);
    for (const name of reached) {
      for (const each of resources.filter((found) => found.name === name)) {
        for (const needed of [each.parent, ...each.waitsFor]) reached.add(needed);
      }
    }
    const unreached = resources.filter((each) => !isComponent(each) && !reached.has(each.name));
    assert.deepEqual(
      unreached.map(({ name }) => name),
      [],
    );
    assert.ok(resources.find(({ name }) => name === 'dlo-rollout')?.protect);
  });

  it('has every resource inside of a component, so that other programs can include it', () => {
    const outside = deployment.resources.filter(({ parent }) => parent === '' || parent.endsWith('-test'));
    assert.deepEqual(
      outside.map(({ name }) => name),
      ['dead-letter-office'],
    );
  });
});

/** Returns a paragraph for each resource (type, name, parent, inputs, dependencies), then the outputs. */
function describeStack({ resources, outputs }: Ran): string {
  const made = resources.filter((each) => !isComponent(each));
  const paragraphs = [`${made.length} resources`, ...made.map(describeResource)];
  return `${paragraphs.join('\n\n')}\n\noutputs\n${describeOutputs(outputs)}\n`;
}

function describeResource({ type, name, parent, inputs, protect, isKept, waitsFor }: Registered): string {
  // The hashes of the migrations are new with each of them.
  const { migrations: _hashes, ...reviewed } = inputs;
  const given = Object.entries(reviewed).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  const others = waitsFor.filter((each) => !isApi(each));
  return [
    `${type} ${name} (${parent})${protect ? ' protected' : ''}${isKept ? ' kept' : ''}`,
    ...given,
    ...(others.length > 0 ? [`  waits for ${[...new Set(others)].join(', ')}`] : []),
  ].join('\n');
}

/** Reads the JSON of the dashboard, so that its diff is readable. */
function describeOutputs(outputs: unknown): string {
  const { dashboard, ...others } = outputs as { readonly dashboard: string };
  return JSON.stringify({ ...others, dashboard: JSON.parse(dashboard) }, null, 2);
}
