import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { bind, parseStatement } from '../../../shared/database/statement.ts';
import { readStatement, statementFiles } from '../../support/statements.ts';

describe('a statement file', () => {
  it('numbers its parameters in order of first use', () => {
    const { text, parameters } = parseStatement('select :lane, :limit, :lane');

    assert.equal(text, 'select $1, $2, $1');
    assert.deepEqual(parameters, ['lane', 'limit']);
  });

  it('keeps casts, also those of parameters', () => {
    const { text } = parseStatement('select :ids::bigint[], now()::text');

    assert.equal(text, 'select $1::bigint[], now()::text');
  });

  it('may contain any text in comments', () => {
    const { text, parameters } = parseStatement("-- :first, it's 100 %\nselect 1 -- not :this\n, :that");

    assert.equal(text, '\nselect 1 \n, $1');
    assert.deepEqual(parameters, ['that']);
  });

  it('is rejected if a parameter has no value, which PostgreSQL would take for NULL', () => {
    const parsed = parseStatement('select :lane limit :limit');

    assert.throws(() => bind('list-lanes', parsed, { lane: 7, limitt: 50 }), {
      message: 'list-lanes.sql: the parameter :limit has no value.',
    });
    assert.deepEqual(bind('list-lanes', parsed, { lane: null, limit: 50 }), [null, 50]);
  });

  it('contains no text that only looks like a parameter', () => {
    const statements = statementFiles.map((file) => readStatement(path.basename(file, '.sql')));
    const literals = statements.flatMap((sql) => sql.replaceAll(/--.*/g, '').match(/'[^']*'/g) ?? []);

    assert.deepEqual(
      literals.filter((literal) => /(?<!:):[a-z]/i.test(literal)),
      [],
    );
  });
});
