import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readIfExists } from '../../local/read-if-exists.ts';

describe('a file of the data folder', () => {
  const folder = mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'data-'));
  const file = path.join(folder, 'url');

  it('is not taken for a missing one by another user, who would delete the data', () => {
    assert.equal(readIfExists(file), undefined);
    writeFileSync(file, ' postgres://dlo \n', { mode: 0o600 });
    assert.equal(readIfExists(file), 'postgres://dlo');
    const isRoot = process.geteuid?.() === 0;
    // Root may read every file.
    if (isRoot) process.seteuid?.('nobody');
    else chmodSync(file, 0);
    try {
      assert.throws(() => readIfExists(file), /url may not be read\. Start as the user whose data it is/);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});
