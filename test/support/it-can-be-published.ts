import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { publint } from 'publint';

/**
 * Tests a folder of `packages/` as its registry would get it. In the file that tests the package: both write
 * its `dist/`.
 */
export function itCanBePublished(name: string): void {
  it('can be published', { skip: process.env.TEST_ALL === undefined }, async () => {
    const cwd = path.resolve(import.meta.dirname, '../../packages', name);
    await promisify(execFile)('npm', ['publish', '--dry-run'], { cwd });
    const { messages } = await publint({ pkgDir: cwd, pack: 'npm' });
    assert.deepEqual(messages, []);
  });
}
