import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fields } from '../../../../shared/events/filter/filter-fields.ts';
import { parseFilterText } from '../../../../shared/events/filter/parse-filter-text.ts';
import { printFilterText } from '../../../../shared/events/filter/print-filter-text.ts';

describe('a field of a filter', () => {
  for (const { name, example } of fields) {
    it(`has an example that the text form parses and prints: ${example}`, () => {
      const parsed = parseFilterText(example);
      assert.ok(parsed.ok);
      assert.deepEqual(Object.keys(parsed.value), [name]);
      assert.deepEqual(parseFilterText(printFilterText(parsed.value)), parsed);
    });
  }
});
