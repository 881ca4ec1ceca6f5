import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { apis } from '../../infra/apis.ts';

const root = path.resolve(import.meta.dirname, '../..');
const guide = readFileSync(path.join(root, 'docs/deploy.md'), 'utf8');

describe('docs/deploy.md', () => {
  it('names an existing test for each trap', () => {
    const [, after = ''] = guide.split('<!-- traps -->\n');
    const named = after
      .trim()
      .split('\n')
      .slice(2)
      .map((row) => row.split('|')[3]?.trim() ?? '');
    assert.ok(named.length > 20);
    const tests = globSync('test/**/*.test.ts', { cwd: root }).flatMap((file) =>
      readTitles(path.join(root, file)),
    );
    assert.deepEqual(
      named.filter((title) => !tests.includes(title)),
      [],
    );
  });

  it('enables the APIs that the program needs', () => {
    const [, command = ''] = /gcloud services enable.*?((?:\n {2}[a-z.]+(?: \\)?)+)/s.exec(guide) ?? [];
    assert.deepEqual(command.match(/[a-z]+\.googleapis\.com/g), [...apis]);
  });
});

/** Returns the test names in a file. */
function readTitles(file: string): string[] {
  const titles = readFileSync(file, 'utf8').matchAll(/\bit\(\s*(['"`])(.+?)(?<!\\)\1,/g);
  return [...titles].map(([, , title = '']) => title.replaceAll(String.raw`\'`, "'"));
}
