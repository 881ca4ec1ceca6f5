import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { deploymentVariable } from '../../../infra/rollout/verify-rollout.ts';
import type { Setting } from '../../../shared/config/setting.ts';
import { type VariableName, variables } from '../../../shared/environment/environment.ts';
import { all, at, deployed } from '../../support/deployment-program.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** Variables that the deployment leaves unset, each with the reason in its definition. */
const notSet = Object.entries<Setting>(variables).flatMap(([name, { stack }]) =>
  typeof stack === 'object' && 'unset' in stack ? [name] : [],
);

/** Returns which entry points get each variable, as a value or a secret, in deployments that together set all. */
async function readHolders(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const holders = new Map<string, Set<string>>();
  for (const deployment of [await deployed('prod'), await deployed('full'), await deployed('elsewhere')]) {
    for (const { inputs } of all(deployment, 'cloudfunctionsv2/function:Function')) {
      const secrets = at(inputs, 'serviceConfig', 'secretEnvironmentVariables') as { key: string }[];
      const plain = Object.keys(at(inputs, 'serviceConfig', 'environmentVariables') as object);
      for (const name of [...plain, ...secrets.map(({ key }) => key)]) {
        holders.set(
          name,
          (holders.get(name) ?? new Set()).add(String(at(inputs, 'buildConfig', 'entryPoint'))),
        );
      }
    }
  }
  // For the update, which compares it with what serves; no function reads it.
  holders.delete(deploymentVariable);
  return holders;
}

describe('the variables of the functions', () => {
  it('are all set by the program, except those with a reason', async () => {
    const set = [...(await readHolders()).keys()];
    assert.deepEqual([...set, ...notSet].sort(), Object.keys(variables).sort());
  });

  it('are set for the functions that read them, and for no other', async () => {
    for (const [name, holders] of await readHolders()) {
      const { readBy } = variables[name as VariableName];
      assert.deepEqual([...holders].sort(), readBy.toSorted(), name);
    }
  });

  it('are in Secret Manager if they may contain secrets', async () => {
    const plain = all(await deployed('full'), 'cloudfunctionsv2/function:Function').flatMap(({ inputs }) =>
      Object.keys(at(inputs, 'serviceConfig', 'environmentVariables') as object),
    );
    assert.deepEqual(
      plain.filter((name) => variables[name as VariableName] && 'secret' in variables[name as VariableName]),
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
