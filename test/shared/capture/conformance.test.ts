import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { formats } from '../../../shared/message/formats/formats.ts';
import { useCapture } from '../../support/capture.ts';
import { useDatabase } from '../../support/database.ts';
import { type ExpectedRecord, type Fixture, postFixture, readRecords } from '../../support/envelopes.ts';

const folder = path.resolve(import.meta.dirname, '../../fixtures/envelopes');
const fixtures = readdirSync(folder).map(
  (file): Fixture => JSON.parse(readFileSync(path.join(folder, file), 'utf8')),
);

describe('capture reads', () => {
  const database = useDatabase();
  const capture = useCapture(database);
  const read = new Set<string>();

  for (const fixture of fixtures) {
    it(fixture.name, async () => {
      await database().clear('dlq_events');
      const answer = await postFixture(capture().url, fixture);
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      for (const [, name = ''] of text.matchAll(/"format":"([^"]+)"/g)) read.add(name);
      const expected = (fixture.expect.records ?? [fixture.expect]) as readonly ExpectedRecord[];
      const records = await readRecords(database(), expected);
      assert.deepEqual(records, expected);
    });
  }

  it('each format that identifies itself, in a fixture', () => {
    const named = formats.filter(({ when = {} }) => Object.keys(when).length > 0).map(({ name }) => name);
    const shown = new Set([...read, ...fixtures.map(({ name }) => name)]);
    assert.deepEqual(
      [...new Set(named)].filter((name) => !shown.has(name)),
      [],
    );
  });
});
