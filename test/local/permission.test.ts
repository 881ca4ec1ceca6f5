import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { mayEnter } from '../../local/database/permission.ts';

describe('the permission to enter a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dlo-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('needs the permission to pass through every folder above it', () => {
    const inner = join(folder, 'outer', 'inner');
    mkdirSync(inner, { recursive: true });
    chmodSync(folder, 0o711);
    const stranger = { uid: 12_345, gid: 12_345 };

    chmodSync(join(folder, 'outer'), 0o711);
    assert.equal(mayEnter(stranger, inner), true);
    chmodSync(join(folder, 'outer'), 0o700);
    assert.equal(mayEnter(stranger, inner), false);
    assert.equal(mayEnter({ ...stranger, uid: process.getuid?.() ?? 0 }, inner), true);
  });
});
