import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Locked, pinDependencies } from '../../../infra/bundle/pin-dependencies.ts';

const aPackage = (version: string, dependencies: Record<string, string> = {}, more: object = {}) => ({
  version,
  integrity: `sha512-${version}`,
  dependencies,
  ...more,
});

const locked: Locked = {
  '': {},
  'node_modules/framework': aPackage(
    '5.0.0',
    { router: '^1.0.0', debug: '*' },
    { resolved: 'https://registry/f' },
  ),
  'node_modules/framework/node_modules/debug': aPackage('3.0.0', { ms: '2' }, { dev: true }),
  'node_modules/router': aPackage('1.2.0', { debug: '^4.0.0' }, { optionalDependencies: { framework: '*' } }),
  'node_modules/debug': aPackage('4.0.0', { ms: '2' }),
  'node_modules/ms': aPackage('2.0.0'),
  'node_modules/unused': aPackage('9.0.0'),
};
describe('pinned dependencies', () => {
  const pinned = pinDependencies(locked, 'framework');

  it('include everything that a package requires, each version at the path where Node.js finds it', () => {
    assert.deepEqual(Object.keys(pinned), [
      'node_modules/debug',
      'node_modules/framework',
      'node_modules/framework/node_modules/debug',
      'node_modules/ms',
      'node_modules/router',
    ]);
  });

  it('have exact versions and no registry', () => {
    assert.equal(pinned['node_modules/framework']?.version, '5.0.0');
    assert.doesNotMatch(JSON.stringify(pinned), /registry|"dev"/);
  });

  it('are rejected if the lock file lacks one', () => {
    const { 'node_modules/ms': _, ...others } = locked;
    assert.throws(() => pinDependencies(others, 'framework'), /does not pin node_modules\/ms/);
  });
});
