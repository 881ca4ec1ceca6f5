import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type FieldKind, filterFields } from '../../../../shared/events/filter/filter-fields.ts';

const document = path.resolve(import.meta.dirname, '../../../../docs/filter.md');

const values: Readonly<Record<FieldKind, string>> = {
  words: 'texts, up to 10',
  identifiers: 'texts, up to 1000',
  ids: 'ids, up to 10000',
  'one of': 'texts, up to 1000',
  globs: 'globs, up to 100',
  status: 'statuses',
  substring: 'text',
  after: 'time',
  before: 'time',
  'due after': 'due time',
  'due before': 'due time',
  run: 'a replay',
  range: '`{"min": 1, "max": 5}`, one or both',
  contains: 'JSON',
};

describe('the fields of a filter', () => {
  it('are listed in docs/filter.md with their value, word and description', () => {
    const rows = Object.entries(filterFields).map(
      ([name, { kind, word, description }]) =>
        `| \`${name}\` | ${values[kind]} | \`${word}\` | ${description} |`,
    );
    const listed = readFileSync(document, 'utf8')
      .split('\n')
      .filter((line) => /^\| `/.test(line));
    assert.deepEqual(listed, rows);
  });
});
