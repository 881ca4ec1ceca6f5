import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import ts from 'typescript';

/**
 * What exceeds a limit today, with its measure. These lists only shrink: a new entry belongs nowhere, and one
 * that holds its limit is removed.
 */
const above = {
  statementLines: { 'shared/groups/list-differences.sql': 72 },
  functionLines: {
    'functions/byte-budget.ts openByteBudget': 45,
    'functions/capture/capture.ts capture': 41,
    'functions/console/events/event-page.ts eventPage': 43,
    'functions/health.ts watchHealth': 46,
    'shared/database/database.ts openDatabase': 78,
    'shared/database/pool.ts connect': 42,
  },
  parameters: {
    'functions/console/components/table.ts table': 4,
    'functions/console/edit/edit-page.ts showForm': 4,
    'functions/console/edit/show-diff.ts takeOther': 4,
    'functions/console/events/payload-find.ts onLiteralValue': 4,
    'functions/console/events/visible-event.ts readVisibleEvent': 4,
    'functions/console/groups/split-page.ts showForm': 4,
    'functions/endpoint.ts answer': 4,
    'functions/endpoint.ts answerProblem': 4,
    'functions/endpoint.ts send': 4,
    'shared/archive/export-month.ts exportFile': 4,
    'shared/archive/export-month.ts exportMonth': 4,
    'shared/database/statement.ts (anonymous)': 4,
    'shared/delivery/deliver.ts isRefusedAlike': 4,
    'shared/delivery/deliver.ts observe': 4,
    'shared/delivery/deliver.ts settlementBy': 4,
    'shared/delivery/policy/next-state.ts decideNextState': 4,
    'shared/replay/preview-limits.ts add': 4,
    'shared/schedule/due-events.ts openDue': 4,
    'shared/schedule/due-events.ts waitsFor': 4,
  },
  wideLines: { 'shared/groups/list-differences.sql': 7 },
};
const limits = { statementLines: 60, functionLines: 40, parameters: 3, wideLines: 0 };
const maxColumns = 110;

/** Lines of TypeScript, SQL, CSS and script by folder, rounded up to the next fifty. They only fall. */
const maxLines = {
  'functions/capture': 400,
};

const cwd = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8');
const list = (pattern: string) => globSync(pattern, { cwd });
const lengthOf = (text: string) => text.trimEnd().split('\n').length;

/** A long text, pattern or link of a module, which cannot be wrapped. */
const unbroken =
  /'[^']{40,}'|"[^"]{40,}"|`.{40,}`|\/\^.{40,}\$\/|(?<=^.{0,20})\/\S.{40,}\/[a-z]*[,;]?$|https?:\S{40,}/g;

function countWide(file: string): number {
  const lines = read(file).split('\n');
  const text = (line: string) => (file.endsWith('.ts') ? line.replaceAll(unbroken, '') : line);
  return lines.filter((line) => text(line).length > maxColumns).length;
}

type Measured = readonly [name: string, measure: number];

/** The functions of a file with their lines, with everything inside them, or with their parameters. */
function measureFunctions(file: string, what: 'functionLines' | 'parameters'): Measured[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const measured: Measured[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
      const lines = lineOf(node.end) - lineOf(node.getStart(source)) + 1;
      const measure = what === 'functionLines' ? lines : node.parameters.length;
      measured.push([`${file} ${named?.getText() ?? '(anonymous)'}`, measure]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return measured;
}

const code = list('{shared,functions}/**/*.ts');
const measures = {
  'no statement of more than 60 lines': [
    'statementLines',
    () => list('{shared,functions}/**/*.sql').map((file): Measured => [file, lengthOf(read(file))]),
  ],
  'no function of more than 40 lines, with everything inside it': [
    'functionLines',
    () => code.flatMap((file) => measureFunctions(file, 'functionLines')),
  ],
  'no function of more than three parameters': [
    'parameters',
    () => code.flatMap((file) => measureFunctions(file, 'parameters')),
  ],
  // The console writes pages of HTML, whose lines are texts.
  'no line of more than 110 columns, but for long texts, patterns and links in modules': [
    'wideLines',
    () => {
      const files = list('{shared,functions}/**/*.{ts,sql}').filter(
        (file) => !file.startsWith('functions/console/'),
      );
      return files.map((file): Measured => [file, countWide(file)]);
    },
  ],
} as const;

describe('the budget of shared/ and functions/', () => {
  for (const [rule, [limit, measure]] of Object.entries(measures)) {
    it(`has ${rule}, beside those that are listed`, () => {
      const exceeding = new Map<string, number>();
      for (const [name, value] of measure())
        if (value > limits[limit]) exceeding.set(name, Math.max(value, exceeding.get(name) ?? 0));
      const listed = new Map(Object.entries(above[limit]));
      const grown = [...exceeding].filter(([name, value]) => value > (listed.get(name) ?? 0));
      assert.deepEqual(grown, [], 'above its limit');
      assert.deepEqual(
        [...listed.keys()].filter((name) => !exceeding.has(name)),
        [],
        'holds its limit: remove it from the list',
      );
    });
  }

  it('has no folder with more lines than before', () => {
    const folders = new Set(
      list('{shared,functions}/**/*.{ts,sql,css,js}').map((file) => file.split('/').slice(0, 2).join('/')),
    );
    const lines = [...folders].map((folder): Measured => {
      const files = folder.endsWith('.ts') ? [folder] : list(`${folder}/**/*.{ts,sql,css,js}`);
      return [folder, files.reduce((sum, file) => sum + lengthOf(read(file)), 0)];
    });
    const limit = new Map(Object.entries(maxLines));
    const grown = lines.filter(
      ([folder, count]) => !folder.endsWith('.ts') && count > (limit.get(folder) ?? 0),
    );
    assert.deepEqual(grown, []);
  });
});
