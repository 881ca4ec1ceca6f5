import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseRetryAfter } from '../../../../shared/delivery/targets/send-request.ts';

const now = Date.UTC(1994, 10, 6, 8, 49, 0);
const parse = (header: string | undefined) => parseRetryAfter(header, now);

describe('Retry-After', () => {
  it('accepts a number of seconds', () => {
    assert.deepEqual(['0', '120', ' 7 '].map(parse), [0, 120, 7]);
  });

  for (const date of [
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ]) {
    it(`accepts a date such as ${date}`, () => assert.equal(parse(date), 37));
  }

  it('is zero for a date in the past', () => {
    assert.equal(parse('Sun, 06 Nov 1994 08:48:37 GMT'), 0);
  });

  it('is at most one day', () => {
    for (const header of ['86401', '9'.repeat(400), 'Tue, 08 Nov 1994 08:49:37 GMT']) {
      assert.equal(parse(header), 86_400);
    }
  });

  for (const header of [
    ...['', '-5', '1.5', '1e3', '0x10', '5 s', 'soon', '1994-11-06T08:49:37Z', 'NaN'],
    ...['Sun, 06 Nov 1994 08:49:37', 'Sun, 66 Nov 1994 08:49:37 GMT', 'Sun, 06 Foo 1994 08:49:37 GMT'],
  ]) {
    it(`ignores ${JSON.stringify(header)}`, () => assert.equal(parse(header), undefined));
  }

  it('is undefined without a header', () => {
    assert.equal(parse(undefined), undefined);
  });

  it('is from zero to one day, or ignored, for any header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (header) => {
        const seconds = parse(header) ?? 0;

        assert.ok(seconds >= 0 && seconds <= 86_400);
      }),
    );
  });
});
