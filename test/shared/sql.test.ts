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
    for (const file of readdirSync(folder)) {
      const literals = readFileSync(new URL(file, folder), 'utf8')
        .replaceAll(/--.*/g, '')
        .match(/'[^']*'/g);

      assert.doesNotMatch(String(literals?.filter((literal) => /(?<!:):[a-z]/i.test(literal))), /:/, file);
    }
  });
});
