import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
const { packages: locked } = read('package-lock.json');

for (const file of globSync('packages/*/package.json', { cwd: root })) {
  const name = path.basename(path.dirname(file));
  describe(`the package packages/${name}`, () => {
    const manifest = read(`packages/${name}/package.json`);

    it('has the version of the product, and depends on the versions that are tested here', () => {
      assert.equal(manifest.version, read('package.json').version);
      for (const [dependency, version] of Object.entries(manifest.dependencies ?? {})) {
        assert.equal(locked[`node_modules/${dependency}`]?.version, version, dependency);
      }
    });

    it('has a README that names it', () => {
      const readme = readFileSync(path.join(root, 'packages', name, 'README.md'), 'utf8');
      assert.ok(readme.startsWith(`# ${manifest.name}\n`));
    });
  });
}
