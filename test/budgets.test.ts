import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import ts from 'typescript';

const limits = { statementLines: 60, functionLines: 40, parameters: 3, wideLines: 0 };
const maxColumns = 110;

/** Lines of TypeScript, SQL, CSS and script by folder. They only fall. */
const maxLines = {
  'functions/capture': 343,
  'functions/console': 6932,
  'functions/entries': 90,
  'functions/identity': 335,
  'functions/maintain': 159,
  'functions/replay': 1281,
  'functions/retry': 83,
  infra: 3207,
  'shared/archive': 465,
  'shared/capture': 2808,
  'shared/config': 695,
  'shared/counts': 335,
  'shared/database': 561,
  'shared/delivery': 4573,
  'shared/environment': 163,
  'shared/events': 2926,
  'shared/fingerprint': 1022,
  'shared/groups': 1299,
  'shared/jobs': 125,
  'shared/json': 511,
  'shared/message': 1061,
  'shared/metrics': 590,
  'shared/replay': 2229,
  'shared/schedule': 1387,
  'shared/targets': 350,
};

const cwd = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8');
const list = (pattern: string) => globSync(pattern, { cwd });
const lengthOf = (text: string) => text.trimEnd().split('\n').length;

/** A long text, pattern or link of a module, which cannot be wrapped. */
const unbroken =
  /'[^']{40,}'|"[^"]{40,}"|`.{40,}`|\/\^.{40,}\$\/|(?<=^.{0,20})\/[^\s*].{40,}\/[a-z]*[,;]?$|https?:\S{40,}/g;

function countWide(file: string): number {
  const lines = read(file).split('\n');
  const text = (line: string) => (file.endsWith('.ts') ? line.replaceAll(unbroken, '') : line);
  return lines.filter((line) => text(line).length > maxColumns).length;
}

type Measured = readonly [name: string, measure: number];
type Measure = keyof typeof limits;

/** The functions of a file: their lines, with everything inside them, and their parameters. */
function listFunctions(file: string) {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const found: { readonly name: string; readonly functionLines: number; readonly parameters: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
      found.push({
        name: `${file} ${named?.getText() ?? '(anonymous)'}`,
        functionLines: lineOf(node.end) - lineOf(node.getStart(source)) + 1,
        parameters: node.parameters.length,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function measureAll(): Readonly<Record<Measure, readonly Measured[]>> {
  const files = list('{shared,functions}/**/*.{ts,sql}');
  const statements = files.filter((file) => file.endsWith('.sql'));
  const functions = files.filter((file) => file.endsWith('.ts')).flatMap(listFunctions);
  // The console writes pages of HTML, whose lines are texts.
  const proper = files.filter((file) => !file.startsWith('functions/console/'));
  const migrations = list('migrations/0*.sql');
  return {
    statementLines: statements.map((file) => [file, lengthOf(read(file))]),
    functionLines: functions.map(({ name, functionLines }) => [name, functionLines]),
    parameters: functions.map(({ name, parameters }) => [name, parameters]),
    wideLines: [...proper, ...migrations].map((file) => [file, countWide(file)]),
  };
}

const rules = {
  statementLines: 'no statement of more than 60 lines',
  functionLines: 'no function of more than 40 lines, with everything inside it',
  parameters: 'no function of more than three parameters',
  wideLines: 'no line of more than 110 columns, but for long texts, patterns and links in modules',
};

describe('the budget of shared/, functions/ and migrations/', () => {
  const measured = measureAll();

  for (const [measure, rule] of Object.entries(rules) as [Measure, string][]) {
    it(`has ${rule}`, () => {
      assert.deepEqual(
        measured[measure].filter(([, value]) => value > limits[measure]),
        [],
      );
    });
  }

  it('has no folder with more lines than before', () => {
    const files = list('{{shared,functions}/*,infra}/**/*.{ts,mjs,sql,css,js}');
    const lines = new Map<string, number>();
    for (const file of files) {
      const folder = file.startsWith('infra/') ? 'infra' : file.split('/').slice(0, 2).join('/');
      lines.set(folder, (lines.get(folder) ?? 0) + lengthOf(read(file)));
    }
    const limit = new Map(Object.entries(maxLines));
    const grown = [...lines].filter(([folder, count]) => count > (limit.get(folder) ?? 0));
    assert.deepEqual(grown, []);
  });
});

const countLines = (pattern: string) =>
  list(pattern).reduce((total, file) => total + read(file).trimEnd().split('\n').length, 0);
const schema = read('migrations/schema.sql');
const [, events = ''] = /^CREATE TABLE dlq_events \($(.*?)^\)/ms.exec(schema) ?? [];
const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;
const databaseFunctions = list('migrations/0*.sql').flatMap((file) =>
  [...read(file).matchAll(/^create function .*?^\$\$;$/gms)].map(([text]) => lengthOf(text)),
);

/** Today's sizes. A limit only falls. */
const sizes: Readonly<Record<string, readonly [size: number, limit: number]>> = {
  'lines of shared/capture and shared/message': [countLines('shared/{capture,message}/**/*.{ts,sql}'), 3880],
  'lines of the migrations of capture': [countLines('migrations/00[3-7]_*.sql'), 635],
  'columns of dlq_events': [count(events, /^ {2}(?!CONSTRAINT)\w+ [a-z]/gm), 55],
  'indexes of dlq_events': [count(schema, /^CREATE (UNIQUE )?INDEX \w+ ON dlq_events /gm) + 1, 10],
  'triggers of dlq_events': [count(schema, /^CREATE TRIGGER .* ON dlq_events /gm), 5],
  tables: [count(schema, /^CREATE (UNLOGGED )?TABLE (?!.* PARTITION OF )/gm), 16],
  'lines of the longest function of the database': [Math.max(...databaseFunctions), 94],
  'functions of the database': [count(schema, /^CREATE OR REPLACE FUNCTION /gm), 24],
};

describe('the size of the product', () => {
  for (const [what, [size, limit]] of Object.entries(sizes)) {
    it(`stays within ${limit} ${what}`, () => assert.ok(size > 0 && size <= limit, `${size} ${what}`));
  }
});
