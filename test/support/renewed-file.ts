import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';

const root = path.resolve(import.meta.dirname, '../..');

/** Fails if `update` changes the file; with --test-update-snapshots (`npm run renew`) it writes the file instead. */
export function compareFile(t: TestContext, file: string, update: (text: string) => string): void {
  const at = path.join(root, file);
  t.assert.fileSnapshot(update(readFileSync(at, 'utf8')), at, { serializers: [String] });
}

export const code = (text: string | undefined) => (text ? `\`${text}\`` : 'none');

export const toRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** Replaces the rows of the table after a mark. */
export function replaceRows(text: string, mark: string, rows: readonly string[][]): string {
  const table = new RegExp(`(<!-- ${mark} -->\\n\\|.*\\n\\|[-|]*\\n)(?:\\|.*\\n)*`);
  assert.match(text, table);
  return text.replace(table, (_, head: string) => head + rows.map((row) => `${toRow(row)}\n`).join(''));
}

/** Fails if the table of a page after a mark, such as `<!-- fields -->`, has other rows; see compareFile. */
export function compareTable(t: TestContext, file: string, mark: string, rows: readonly string[][]): void {
  compareFile(t, file, (text) => replaceRows(text, mark, rows));
}
