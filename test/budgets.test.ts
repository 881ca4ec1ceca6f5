import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import ts from 'typescript';

const cwd = path.resolve(import.meta.dirname, '..');
/** The folders that hold the budget; each further one joins this list when it does. */
const within = '{capture,delivery,schedule,message,replay,groups}';
const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8');
const list = (pattern: string) => globSync(pattern, { cwd });

const maxStatement = 60;
const maxFunction = 40;
const maxColumns = 110;
/** A long text, pattern or link of a module, which cannot be wrapped. */
const unbroken = /'[^']{40,}'|`.{40,}`|\/\^.{40,}\$\/|(?<=^.{0,20})\/\S.{40,}\/[a-z]*[,;]?$|https?:\S{40,}/g;

/** The lengths of all functions of a file in lines, with everything inside them. */
function measureFunctions(file: string): { readonly line: number; readonly lines: number }[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const measured: { readonly line: number; readonly lines: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const line = lineOf(node.getStart(source));
      measured.push({ line: line + 1, lines: lineOf(node.end) - line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return measured;
}

describe('the folders of delivery', () => {
  it('have no statement of more than 60 lines', () => {
    const long = list(`shared/${within}/**/*.sql`).filter(
      (file) => read(file).trimEnd().split('\n').length > maxStatement,
    );
    assert.deepEqual(long, []);
  });

  it('have no function of more than 40 lines, with everything inside it', () => {
    const long = list(`shared/${within}/**/*.ts`).flatMap((file) =>
      measureFunctions(file)
        .filter(({ lines }) => lines > maxFunction)
        .map(({ line, lines }) => `${file}:${line} has ${lines} lines`),
    );
    assert.deepEqual(long, []);
  });

  it('have no line of more than 110 columns, but for long texts, patterns and links in modules', () => {
    const wide = list(`shared/${within}/**/*.{ts,sql}`).flatMap((file) => {
      const lines = read(file).split('\n');
      const isWide = (line: string) =>
        (file.endsWith('.ts') ? line.replaceAll(unbroken, '') : line).length > maxColumns;
      return lines.flatMap((line, index) => (isWide(line) ? [`${file}:${index + 1}`] : []));
    });
    assert.deepEqual(wide, []);
  });
});
