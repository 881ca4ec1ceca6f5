import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { parseStatement } from '../../../shared/database/statement.ts';
import { useDatabase } from '../../support/database.ts';
import { useDescribeColumns } from '../../support/describe-columns.ts';
import { type Declared, readRowTypes } from '../../support/row-fields.ts';
import { sample } from '../../support/sample.ts';
import { readWholeStatement } from '../../support/statements.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const { builtins } = pg.types;

const declaredOf: Readonly<Record<number, Declared>> = {
  [builtins.BOOL]: 'boolean',
  [builtins.BYTEA]: 'bytes',
  [builtins.INT2]: 'number',
  [builtins.INT4]: 'number',
  [builtins.FLOAT4]: 'number',
  [builtins.FLOAT8]: 'number',
  [builtins.INT8]: 'text',
  [builtins.TEXT]: 'text',
  [builtins.NUMERIC]: 'text',
  [builtins.UUID]: 'text',
  [builtins.DATE]: 'time',
  [builtins.TIMESTAMPTZ]: 'time',
  [builtins.JSON]: 'any',
  [builtins.JSONB]: 'any',
};

/** Whether a file declares the rows of a statement: a tenth of them is compiled. */
function hasStatement(file: string): boolean {
  return /statement<|filteredStatement</i.test(readFileSync(path.join(root, file), 'utf8'));
}

/** Of a function that returns nothing. */
const voidType = 2278;

describe('the row type of a statement', () => {
  const describeColumns = useDescribeColumns(() => database().url);
  const database = useDatabase();

  const files = globSync('{shared,functions}/**/*.ts', { cwd: root }).filter(hasStatement);
  for (const { name, at, fields } of readRowTypes(sample(files))) {
    it(`has the columns that PostgreSQL describes: ${name}`, async () => {
      const { text } = parseStatement(readWholeStatement(name));
      const described = await describeColumns(text);
      const columns = described.filter(({ oid }) => oid !== voidType);
      const wrong = columns.flatMap(({ field, oid }) => {
        const { type } = fields.get(field) ?? {};
        const actual = declaredOf[oid] ?? 'list';
        const isEqual = type === actual || type === 'any' || (type !== undefined && actual === 'any');
        return isEqual ? [] : [`${field} is ${actual}, and ${at} says ${type}`];
      });
      const names = new Set(columns.map(({ field }) => field));
      const absent = [...fields].flatMap(([field, { isOptional }]) =>
        names.has(field) || isOptional ? [] : [`${field} of ${at} is no column`],
      );
      assert.deepEqual([...wrong, ...absent], []);
    });
  }
});
