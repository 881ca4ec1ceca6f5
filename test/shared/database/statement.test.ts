import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { bind, parseStatement, queryRows } from '../../../shared/database/statement.ts';
import { useDatabase } from '../../support/database.ts';
import { readStatement, statementFiles } from '../../support/statements.ts';

describe('a statement file', () => {
  const database = useDatabase();

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

    assert.throws(() => bind('walk-lanes', parsed, { lane: 7, limitt: 50 }), {
      message: 'walk-lanes.sql: the parameter :limit has no value.',
    });
    assert.deepEqual(bind('walk-lanes', parsed, { lane: null, limit: 50 }), [null, 50]);
  });

  it('reads the fields of records in columns, any text and missing values included', async () => {
    const sql =
      'select * from records(:outcomes) as outcome (id bigint, error_reason text, is_lost boolean, at timestamptz, steps text)';
    const parsed = parseStatement(sql);
    const at = new Date('2026-01-02T03:04:05.678Z');
    const outcomes = [
      {
        id: '9007199254740993',
        errorReason: 'a "quoted", {braced} \\ text\nof 2 lines',
        at,
        steps: ['a "b" \\', 'c,d'],
      },
      { id: 2, errorReason: 'NULL', isLost: false },
      { id: 3, errorReason: '', isLost: null },
    ];
    const { db } = database();
    const values = bind('list-outcomes', parsed, { outcomes });

    assert.deepEqual(await queryRows(db, { text: parsed.text, values }), [
      {
        id: '9007199254740993',
        errorReason: outcomes[0]?.errorReason,
        isLost: null,
        at,
        steps: String.raw`{"a \"b\" \\","c,d"}`,
        nth: 1,
      },
      { id: '2', errorReason: 'NULL', isLost: false, at: null, steps: null, nth: 2 },
      { id: '3', errorReason: '', isLost: null, at: null, steps: null, nth: 3 },
    ]);
    const none = bind('list-outcomes', parsed, { outcomes: [] });
    assert.deepEqual(await queryRows(db, { text: parsed.text, values: none }), []);
  });

  it('plans records alike for any number of them, so that PostgreSQL keeps the plan', async () => {
    const { text } = parseStatement('select * from records(:ids) as given (id bigint)');
    const { db } = database();
    const estimate = async (values: unknown[]) => {
      const { rows } = await db.query<{ 'QUERY PLAN': string }>({ text: `explain ${text}`, values });
      return rows.map((row) => row['QUERY PLAN']).find((line) => line.includes('ProjectSet'));
    };

    assert.match((await estimate(['{1}', 1])) ?? '', /rows=1000 /);
    assert.match((await estimate([`{${'1,'.repeat(600)}1}`, 601])) ?? '', /rows=1000 /);
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
