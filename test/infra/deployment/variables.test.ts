import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { deploymentVariable } from '../../../infra/rollout/read-served.ts';
import type { Setting } from '../../../shared/config/setting.ts';
import { variables } from '../../../shared/environment/environment.ts';
import { all, at, deployed } from '../../support/deployment-program.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** Variables that the deployment leaves unset, each with the reason in its definition. */
const notSet = Object.entries<Setting>(variables).flatMap(([name, { stack }]) =>
  typeof stack === 'object' && 'unset' in stack ? [name] : [],
);

/** Returns the variables and secret variables of the functions of deployments that together set all. */
async function readSet(): Promise<string[]> {
  const deployments = [await deployed('prod'), await deployed('full'), await deployed('elsewhere')];
  return deployments.flatMap((deployment) =>
    all(deployment, 'cloudfunctionsv2/function:Function').flatMap(({ inputs: { serviceConfig } }) => [
      ...Object.keys(at(serviceConfig, 'environmentVariables') as object).filter(
        // For the update, which compares it with what serves; no function reads it.
        (name) => name !== deploymentVariable,
      ),
      ...(at(serviceConfig, 'secretEnvironmentVariables') as { key: string }[]).map(({ key }) => key),
    ]),
  );
}

describe('the variables of the functions', () => {
  it('are all set by the program, except those with a reason', async () => {
    const expected = [...(await readSet()), ...notSet];
    assert.deepEqual(Object.keys(variables).sort(), [...new Set(expected)].sort());
  });

  it('are not set if a reason excludes them', async () => {
    const set = await readSet();
    assert.deepEqual(
      notSet.filter((name) => set.includes(name)),
      [],
    );
  });

  it('include every variable that the code reads from process.env', () => {
    const read = globSync('{functions,shared}/**/*.ts', { cwd: root }).flatMap((file) => {
      const source = readFileSync(path.join(root, file), 'utf8');
      const single = [...source.matchAll(/process\.env\.([A-Z_]+)/g)].map(([, name]) => name);
      const several = [...source.matchAll(/\{([^{}]*)\} = process\.env/g)].flatMap(([, names = '']) => [
        ...(names.match(/\b[A-Z][A-Z_]+\b/g) ?? []),
      ]);
      return [...single, ...several];
    });
    assert.deepEqual(
      [...new Set(read)].filter((name = '') => !Object.hasOwn(variables, name)),
      [],
    );
    assert.ok(read.includes('K_SERVICE'));
  });
});
