import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  findTraceId,
  toBigCount,
  toCount,
  toDate,
  toDateFromMillis,
  toDateFromSeconds,
  toPriority,
  toRetryAfter,
  toText,
  toZonedDate,
} from '../../../shared/capture/column-values.ts';

const noon = '2025-11-01T12:00:00.000Z';
const year = 31_536_000;

/** Values of a sender, and what a column has of them. */
const readings: Record<
  string,
  readonly [read: (value: unknown) => unknown, [value: unknown, read: unknown][]]
> = {
  'a text': [
    toText,
    [
      ['a', 'a'],
      ['', null],
      [7, '7'],
      [7n, '7'],
      [{ base64: 'YQ==' }, 'a'],
      [{ base64: 7 }, null],
      [true, null],
      [null, null],
      ['[B@5e91993f', null],
      ['a [B@5e91993f', 'a [B@5e91993f'],
      ['[B@5e91993f!', '[B@5e91993f!'],
    ],
  ],
  'a count': [
    toCount,
    [
      ['7', 7],
      [0, 0],
      [-1, null],
      ['7a', null],
      ['a7', null],
      [1.5, null],
      [2_147_483_647, 2_147_483_647],
      [2_147_483_648, null],
      [null, null],
    ],
  ],
  'a priority': [
    toPriority,
    [
      [-32_768, -32_768],
      [-32_769, null],
      [32_767, 32_767],
      [32_768, null],
    ],
  ],
  'a large count': [
    toBigCount,
    [
      ['9'.repeat(18), '9'.repeat(18)],
      ['9'.repeat(19), null],
      ['7a', null],
      ['a7', null],
      [null, null],
    ],
  ],
  'a time': [
    toDate,
    [
      ['2025-11-01T12:00:00', noon],
      ['2025-11-01T12:00:00Z', noon],
      ['2025-11-01T14:00:00+02:00', noon],
      ['2025-11-01 14:00:00+0200', noon],
      ['2025-11-01 12:00', noon],
      ['2025-11-01 12:00:00.000+00', noon],
      ['2025-11-01T06:00-06', noon],
      ['2025-11-01', '2025-11-01T00:00:00.000Z'],
      ['2025-02-29', null],
      ['2025-02-30T12:00:00Z', null],
      ['Sat, 01 Nov 2025 12:00:00 GMT', noon],
      ['Mon, 01 Nov 2025 12:00:00 GMT', noon],
      ['Sat, 31 Feb 2025 12:00:00 GMT', null],
      ['Sat Nov 01 12:00:00 UTC 2025', noon],
      ['Sat Nov 01 2025 12:00:00 GMT+0000 (Coordinated Universal Time)', noon],
      ['Sat Nov  1 12:00:00 2025', noon],
      ['on Sat Nov 1 12:00:00 2025', null],
      ['0000-01-01T00:00:00Z', null],
      ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
      ['9999-12-31T23:59:59-01:00', null],
      [`2025-11-01T12:00:00.${'0'.repeat(79)}Z`, noon],
      [`2025-11-01T12:00:00.${'0'.repeat(80)}Z`, null],
      ['soon', null],
      [7, null],
      [null, null],
      [new Date(noon), noon],
    ],
  ],
  'a time with its zone': [
    toZonedDate,
    [
      ['2025-11-01T12:00:00Z', noon],
      ['2025-11-01T14:00:00+02', noon],
      ['2025-11-01T12:00:00', null],
      ['2025-11-01', null],
      [`2025-11-01T12:00:00.${'0'.repeat(79)}Z`, noon],
      [null, null],
      [new Date(noon), noon],
    ],
  ],
  'a time to retry at': [
    toRetryAfter,
    [
      ['30', 30],
      [0.0015, 0.002],
      ['1.5', 1.5],
      [year, year],
      [year + 1, null],
      ['30 s', null],
      ['2025-11-01T12:00:00Z', noon],
      ['2025-11-01T12:00:00', null],
      ['9999-01-01T00:00:00Z', null],
      [null, null],
    ],
  ],
  'milliseconds since 1970': [
    toDateFromMillis,
    [
      ['1761998400000', noon],
      [1_761_998_400_000, noon],
      ['1761998400000.5', null],
      ['9'.repeat(15), null],
      [null, null],
    ],
  ],
  'seconds since 1970': [
    toDateFromSeconds,
    [
      ['1761998400', noon],
      ['1761998400.250', '2025-11-01T12:00:00.250Z'],
      ['9'.repeat(12), null],
      [null, null],
    ],
  ],
  'a trace': [
    findTraceId,
    [
      [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, 'a'.repeat(32)],
      [`x00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, null],
      [`00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`, null],
      [null, null],
    ],
  ],
};

describe('a value of any type', () => {
  const { TZ } = process.env;
  before(() => {
    // Far from UTC, in which senders mean a time without a zone.
    process.env.TZ = 'Pacific/Kiritimati';
  });
  after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });

  for (const [what, [read, values]] of Object.entries(readings)) {
    it(`is ${what}, or null`, () => {
      const plain = (value: unknown) => (value instanceof Date ? value.toISOString() : value);
      assert.deepEqual(
        values.map(([value]) => [value, plain(read(value))]),
        values,
      );
    });
  }

  it('is a time to retry at up to a year away', () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const [within, beyond] = [at(1000 * year - 60_000), at(1000 * year + 60_000)];
    assert.deepEqual([plainTime(toRetryAfter(within)), toRetryAfter(beyond)], [within, null]);
  });
});

const plainTime = (value: number | Date | null) => value instanceof Date && value.toISOString();
