import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Format } from '../../../shared/message/formats/format.ts';
import { formats } from '../../../shared/message/formats/formats.ts';

/** The headers from which a record reads why and how often its consumer failed. */
function listRead({ under = '', error, ...facts }: Format): string[] {
  const { class: errorClass, reason, stack, attempts } = facts;
  return [...(error ?? []), errorClass, reason, stack, attempts]
    .flatMap((places) => places ?? [])
    .flatMap((places) => places.split(' | '))
    .map((place) => (place.includes(':') ? place : under + place).replace(/ as .*/, ''))
    .flatMap((place) => (place.startsWith('header:') ? [place.slice('header:'.length)] : []));
}

describe('a header from which a format reads the failure', () => {
  for (const format of formats.filter((each) => listRead(each).length > 0)) {
    it(`is left out of a redelivery: ${format.name} ${Object.keys(format.when ?? {}).join(', ')}`, () => {
      assert.deepEqual(
        listRead(format).filter((name) => !format.omit?.test(name)),
        [],
      );
    });
  }
});
