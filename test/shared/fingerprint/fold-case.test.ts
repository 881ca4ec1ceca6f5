import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foldCase } from '../../../shared/fingerprint/fold-case.ts';

const expressions = [
  'error',
  '(?-i:Error)',
  '(?-i:[A-Z]{2}(?:x|\\d))y',
  '[^a-f\\dx]',
  '(?<=\\b(?:code|(?-i:SQL)) )(\\w+)',
  '(?<name>É|ß) is (?!no)',
  '\\p{L}(?=x)\\(b',
];
const texts = [
  'Error ERROR error',
  'ABxy ab1Y Xe1y ABXy',
  'a F g 7 x -',
  'code x SQL y sql Z',
  'é is yes, É is NO, ß is so',
  'Ax aX ax',
  'lx(b Lx(B x',
];

describe('foldCase(source)', () => {
  for (const source of expressions) {
    it(`finds with ${source} what the flag i finds`, () => {
      const native = new RegExp(source, 'giu');
      const folded = new RegExp(foldCase(source), 'gu');
      for (const text of texts) {
        assert.deepEqual([...text.matchAll(folded)], [...text.matchAll(native)], text);
      }
    });
  }

  it('rewrites what Node.js 20 does not know', () => {
    assert.equal(foldCase('a(?-i:b|[c-e])(f)\\d'), '[aA](?:b|[c-e])([fF])\\d');
  });
});
