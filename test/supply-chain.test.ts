import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

const cwd = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8');

type Locked = {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
};

describe('the supply chain', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const installed = Object.entries(packages).filter(
    ([name, { link }]) => name.startsWith('node_modules/') && !link,
  );

  it('has a SHA-512 of every package', () => {
    const others = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    assert.deepEqual(others, []);
  });

  it('has packages of no registry but that of npm', () => {
    const isElsewhere = ({ resolved }: Locked) =>
      resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/');
    assert.deepEqual(
      installed.filter(([, locked]) => isElsewhere(locked)),
      [],
    );
  });

  it('runs no install script that allowScripts does not name', () => {
    const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, true> };
    const scripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = scripts.map(([location]) => location.split('node_modules/').at(-1) ?? '');
    assert.deepEqual(
      names.filter((name) => !allowScripts[name]),
      [],
    );
  });

  it('has a reason in the documentation for each dependency at runtime', () => {
    const page = read('docs/architecture.md').split('## Dependencies')[1] ?? '';
    const names = globSync(['package.json', 'packages/*/package.json'], { cwd }).flatMap((file) =>
      Object.keys(JSON.parse(read(file)).dependencies ?? {}),
    );
    assert.ok(names.length > 12);
    assert.deepEqual(
      names.filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
  });

  for (const file of globSync('.github/workflows/*.yml', { cwd })) {
    it(`${file} uses actions by commit, and names their version`, () => {
      const used = [...read(file).matchAll(/uses: (.+)/g)].map(([, action = '']) => action);
      assert.notEqual(used.length, 0);
      assert.deepEqual(
        used.filter((action) => !/^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action)),
        [],
      );
    });
  }
});
