import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { limitCompileCache } from './compile-cache.ts';

describe('the compile cache of test runs', () => {
  it('begins anew once it has more files than a limit', (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'compile-cache-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(path.join(folder, 'v24'));
    for (const name of ['a', 'b']) writeFileSync(path.join(folder, 'v24', name), '');
    limitCompileCache(folder, 2);
    assert.ok(existsSync(path.join(folder, 'v24', 'a')));
    limitCompileCache(folder, 1);
    assert.ok(!existsSync(folder));
    limitCompileCache(folder, 1);
  });
});
