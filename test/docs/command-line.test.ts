import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { findOperation } from '../../packages/cli/api/operations.ts';
import type { Command } from '../../packages/cli/command.ts';
import { commands } from '../../packages/cli/commands.ts';
import { exitCodes } from '../../packages/cli/exit-codes.ts';
import { toOption } from '../../packages/cli/options.ts';
import { describeOperations } from '../support/cli/command-line.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Fails if the rows after a mark are others; with --test-update-snapshots it writes them. */
function compare(t: TestContext, file: string, rows: Readonly<Record<string, readonly string[]>>): void {
  const at = path.join(root, file);
  const updated = Object.entries(rows).reduce(
    (text, [mark, lines]) => {
      const part = new RegExp(`(<!-- ${mark} -->\\n\\|.*\\n\\|[-|]*\\n)(?:\\|.*\\n)*`);
      assert.match(text, part);
      return text.replace(part, (_, head: string) => head + lines.map((line) => `${line}\n`).join(''));
    },
    readFileSync(at, 'utf8'),
  );
  t.assert.fileSnapshot(updated, at, { serializers: [String] });
}

const codes = Object.values(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`);

describe('docs/command-line.md', () => {
  it('lists every command with the words of the API', async (t) => {
    const operations = await describeOperations();
    const toRow = (command: Command) => {
      const { name, arguments: given = [], options = [], own = [] } = command;
      const operation = findOperation(operations, command.operation);
      const { summary = operation.summary } = command;
      const flags = options.map((option) => {
        const field = operation.fields.find((each) => each.name === option);
        assert.ok(field, option);
        return toOption(field).long ?? '';
      });
      const all = [...flags, ...own.map((each) => each.flags.replace(/ .*/, ''))];
      const usage = ['dlo', name, ...given.map((each) => each.name)].join(' ');
      return `| \`${usage}\` | ${summary.replace(/\.?$/, '.')} | ${all.map((flag) => `\`${flag}\``).join(' ')} |`;
    };
    compare(t, 'docs/command-line.md', {
      commands: commands.map(toRow),
      'exit codes': codes,
    });
  });

  describe('the README of the command line', () => {
    it('has its exit codes', (t) => {
      compare(t, 'packages/cli/README.md', { 'exit codes': codes });
    });

    it('has each variable that it reads', () => {
      const cwd = path.join(root, 'packages/cli');
      const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8');
      const code = globSync('**/*.ts', { cwd, exclude: ['dist/**', 'node_modules/**'] })
        .map(read)
        .join('');
      const listNames = (text: string, name: RegExp) => (text.match(name) ?? []).sort();
      // Node reads NO_COLOR. The other one is of the desktop, and names the folder of all programs.
      const used = new Set(['NO_COLOR', ...listNames(code, /(?<=\benv\.)(?!XDG_)\w+/g)]);
      assert.deepEqual(listNames(read('README.md'), /(?<=^\| `)\w+(?=` \|)/gm), [...used].sort());
    });
  });
});
