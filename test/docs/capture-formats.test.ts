import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { transports } from '../../shared/capture/transports.ts';
import { formats } from '../../shared/message/formats/formats.ts';

const root = path.resolve(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'docs/capture.md'), 'utf8');
const section = text.slice(text.indexOf('## What is read'), text.indexOf('## Traps of operation'));
/** The names in the first cell of each row, and the row. */
const rows = [...section.matchAll(/^\| (`[^|]*) \| (.*)$/gm)].map(([, names = '', rest = '']) => ({
  names: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''),
  rest,
}));
const folder = path.join(root, 'test/fixtures/envelopes');
const fixtures = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));

describe('docs/capture.md', () => {
  it('lists every transport and every dead-letter format', () => {
    const listed = new Set(rows.flatMap(({ names }) => names));
    const known = [...transports.map(([name]) => name), ...formats.map(({ name }) => name)];
    assert.deepEqual(
      known.filter((name) => !listed.has(name)),
      [],
    );
  });

  it('says for each where its facts are from', () => {
    const unclear = rows.filter(
      ({ rest }) => !/^(\[above\]|.*\b(recorded from|source|documentation|specification)\b)/.test(rest),
    );
    assert.deepEqual(unclear, []);
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
