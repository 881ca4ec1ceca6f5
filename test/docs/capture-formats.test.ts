import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { transportNames } from '../../shared/capture/read-messages.ts';
import { formats } from '../../shared/message/formats/formats.ts';

const root = path.resolve(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'docs/capture.md'), 'utf8');
const section = text.slice(text.indexOf('## Formats'), text.indexOf('## Identity'));
/** The names in the first cell of each row, and the row. */
const rows = [...section.matchAll(/^\| (`[^|]*) \| (.*)$/gm)].map(([, names = '', rest = '']) => ({
  names: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''),
  rest,
}));
const folder = path.join(root, 'test/fixtures/envelopes');
const fixtures = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));

describe('docs/capture.md', () => {
  it('lists every transport', () => {
    const listed = new Set(rows.flatMap(({ names }) => names));
    assert.deepEqual(
      transportNames.filter((name) => !listed.has(name)),
      [],
    );
  });

  it('says for each where its facts are from', () => {
    const first = formats.filter(({ name }, i) => formats.findIndex((each) => each.name === name) === i);
    const unclear = first.filter(
      ({ seen = 'source', source }) =>
        !/\b(recorded from|source|documentation|specification)\b/.test(seen) || !URL.canParse(source),
    );
    assert.deepEqual(unclear, []);
  });

  it('has at most ten formats that need a function, each with its reason', () => {
    const coded = formats.filter((format) => /"code:/.test(JSON.stringify(format)));
    const names = new Set(coded.map(({ name }) => name));
    assert.ok(names.size > 0 && names.size <= 10);
    assert.ok(coded.every(({ code }) => code));
  });

  it('says recorded only of software whose requests are fixtures', () => {
    const recorded = fixtures.filter((fixture) => fixture.includes('"verified": "recorded"'));
    const versions = [...section.matchAll(/\brecorded from ([^|;]*)/g)].flatMap(
      ([, from = '']) => from.match(/\d+\.\d+(\.\d+)?/g) ?? [],
    );
    const missing = versions.filter((version) => !recorded.some((fixture) => fixture.includes(version)));
    assert.deepEqual(missing, []);
  });
});
