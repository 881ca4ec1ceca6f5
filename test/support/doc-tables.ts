import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Fails if the table of a page, which a mark such as `<!-- fields -->` stands above, has other rows. With
 * `npm run renew` it writes them instead.
 */
export function compareTable(t: TestContext, file: string, mark: string, rows: readonly string[][]): void {
  const at = path.join(root, file);
  const text = readFileSync(at, 'utf8');
  const table = new RegExp(`(<!-- ${mark} -->\\n\\|.*\\n\\|[-|]*\\n)(?:\\|.*\\n)*`);
  assert.match(text, table);
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  t.assert.fileSnapshot(
    text.replace(table, (_, head: string) => head + lines),
    at,
    { serializers: [String] },
  );
}
