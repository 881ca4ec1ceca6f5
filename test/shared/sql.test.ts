import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseStatement } from '../../shared/sql.ts';

describe('a statement file', () => {
  it('has its parameters numbered in order of first use', () => {
    const { text, parameters } = parseStatement('select :lane, :limit, :lane');

    assert.equal(text, 'select $1, $2, $1');
    assert.deepEqual(parameters, ['lane', 'limit']);
  });

  it('keeps its casts, also those of parameters', () => {
    const { text } = parseStatement('select :ids::bigint[], now()::text');

    assert.equal(text, 'select $1::bigint[], now()::text');
  });

  it('may hold anything in its comments', () => {
    const { text, parameters } = parseStatement("-- :first, it's 100 %\nselect 1 -- not :this\n, :that");

    assert.equal(text, '\nselect 1 \n, $1');
    assert.deepEqual(parameters, ['that']);
  });

  it('has no text that looks like a parameter and is none', () => {
    const folder = new URL('../../shared/sql/', import.meta.url);
    const statements = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
    const literals = statements.flatMap((sql) => sql.replaceAll(/--.*/g, '').match(/'[^']*'/g) ?? []);

    assert.deepEqual(
      literals.filter((literal) => /(?<!:):[a-z]/i.test(literal)),
      [],
    );
  });
});
