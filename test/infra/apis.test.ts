import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { apis } from '../../infra/apis.ts';

const root = path.resolve(import.meta.dirname, '../..');
const guide = readFileSync(path.join(root, 'docs/deploy.md'), 'utf8');

describe('docs/deploy.md', () => {
  it('enables the APIs that the program needs', () => {
    const [, command = ''] = /gcloud services enable.*?((?:\n {2}[a-z.]+(?: \\)?)+)/s.exec(guide) ?? [];
    assert.deepEqual(command.match(/[a-z]+\.googleapis\.com/g), [...apis]);
  });
});
