import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { sample } from '../../support/sample.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const files = globSync('{shared/capture,shared/message,functions/capture}/**/*.ts', { cwd: root });

/** All regular expressions in a file. */
function listExpressions(file: string): RegExp[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  const found: RegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push(new RegExp(node.text.slice(1, end), node.text.slice(end + 1)));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const length = 50_000;
const seeds = [
  '1',
  '.',
  ' ',
  'a',
  'A',
  '=',
  '\uFFFD',
  '#',
  '\n',
  '\\',
  '\\u',
  '\\ud800',
  '"',
  '/',
  ': ',
  'aA',
  '1.',
  'a:',
  '$.',
  ';',
  ',',
];
const beginnings = [
  '',
  '1',
  'Method [',
  'Mon Mar 01 00:00:00 ',
  '#',
  'error occurred in message handler [',
  '2026-03-01T',
];
/** No expression ends with these. */
const ends = ['\u0001', '\n\u0001'];
const attacks = sample(
  beginnings.flatMap((start) =>
    seeds.flatMap((seed) => ends.map((end) => `${start}${seed.repeat(length / seed.length)}${end}`)),
  ),
);

describe('text from outside', () => {
  for (const file of files) {
    for (const expression of listExpressions(file)) {
      it(`takes time in proportion to its length in ${file}: ${expression}`, () => {
        for (const attack of attacks) {
          // CPU time, which other processes do not lengthen. A quadratic expression takes seconds.
          const before = process.cpuUsage();
          attack.replace(expression, '');
          const { user } = process.cpuUsage(before);
          assert.ok(user < 500_000, `${JSON.stringify(attack.slice(0, 40))}: ${user} µs`);
        }
      });
    }
  }
});
