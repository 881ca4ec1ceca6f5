import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toStorableText } from '../../../shared/database/storable-text.ts';
import { useDatabase } from '../../support/database.ts';

const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
});

describe('a storable text', () => {
  const database = useDatabase();

  it('equals the text if PostgreSQL can store it', () => {
    assert.equal(toStorableText('Größe: 10\u2028€ 😀'), 'Größe: 10\u2028€ 😀');
  });

  it('has a replacement for characters that PostgreSQL cannot store', () => {
    assert.equal(toStorableText('a\0b\ud800c'), 'a\ufffdb\ufffdc');
  });

  it('is cut to its length without half a character at the end', () => {
    assert.equal(toStorableText('ab😀', 3), 'ab\ufffd');
  });

  it('is read back unchanged from text and from jsonb', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const storable = toStorableText(text);

        const select = "select $1::text as plain, $2::jsonb ->> 'it' as json";
        const [row] = await database().sql(select, [storable, JSON.stringify({ it: storable })]);
        assert.deepEqual(row, { plain: storable, json: storable });
      }),
    );
  });
});
