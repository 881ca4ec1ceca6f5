import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseFilterText } from '../../../../shared/events/filter/parse-filter-text.ts';
import { printFilterText } from '../../../../shared/events/filter/print-filter-text.ts';
import { listSteps, maskJson } from '../../../../shared/events/masking/mask.ts';
import { maskFilter } from '../../../../shared/events/masking/mask-request.ts';

const masks = ['$.card', 'headers.X-Token'];

describe('a mask of what a filter compares', () => {
  for (const [text, shown] of [
    ['contains:4111', 'contains:(hidden)'],
    ['anywhere:4111', 'anywhere:(hidden)'],
    ['mention:ORD-4711', 'mention:(hidden)'],
    ['payload:{"card":"4111","sku":"MUG"}', 'payload:{"card":"(hidden)","sku":"MUG"}'],
    ['payload:"4111"', 'payload:"(hidden)"'],
    ['headers:{"x-token":"a","tenant":"b"}', 'headers:{"x-token":"(hidden)","tenant":"b"}'],
    ['type:order.* 4111 id:7 bytes:>=4111', 'text:4111 id:7 type:order.* bytes:>=4111'],
  ] as const) {
    it(`shows ${text} as ${shown}`, () => {
      const parsed = parseFilterText(text);
      assert.equal(parsed.ok && printFilterText(maskFilter(parsed.value, masks)), shown);
    });
  }
});

describe('a mask', () => {
  const mask = (json: string, paths: readonly string[]) => maskJson(json, listSteps(paths));
  const order =
    '{"id": 12345678901234567890, "customer": {"email": "ada@example.com", "name": "Ada"},\n "items": [{"card": 1}, {"card": [2]}]}';

  for (const [path, masked] of [
    ['$.customer.email', order.replace('"ada@example.com"', '"(hidden)"')],
    ['$.items.*.card', order.replace('"card": 1', '"card": "(hidden)"').replace('[2]', '"(hidden)"')],
    ['$.items.1.card', order.replace('[2]', '"(hidden)"')],
    ['$.*.email', order.replace('"ada@example.com"', '"(hidden)"')],
    ['$', '"(hidden)"'],
    ['$.nothing.here', order],
  ] as const) {
    it(`masks ${path} and leaves every other byte unchanged`, () => {
      assert.equal(mask(order, [path]), masked);
    });
  }

  it('masks each occurrence of a repeated name, and overlapping values once', () => {
    const twice = '{"a": {"b": 1}, "a": 2}';

    assert.equal(mask(twice, ['$.a', '$.a.b', '$.a']), '{"a": "(hidden)", "a": "(hidden)"}');
  });

  it('masks a value of JSON that is nested 100,000 levels deep', () => {
    const deep = (inner: string) => `${'{"a": ['.repeat(50_000)}${inner}${']}'.repeat(50_000)}`;
    const json = `{"card": 4111, "rest": ${deep('{"pin": 1}')}}`;

    assert.equal(mask(json, ['$.card']), json.replace('4111', '"(hidden)"'));
    assert.equal(mask(`[${deep('1')}]`, ['$.*']), '["(hidden)"]');
    assert.equal(mask(deep('{"pin": 1}'), ['$.a.0.a.0']), '{"a": [{"a": ["(hidden)"]}]}');
  });

  it('hides text that is not JSON as a whole', () => {
    for (const text of ['', '{"a": ', '{"a": 1} x', '{/* no */"a": 1}', "{'a': 1}"]) {
      assert.equal(mask(text, ['$.a']), '"(hidden)"');
    }
  });

  it('masks a secret at any position in a payload', () => {
    const secret = 'top-secret';
    const { payload } = fc.letrec<{ payload: unknown }>((tie) => ({
      payload: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom('a', 'b'), tie('payload')),
        fc.array(tie('payload'), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(payload, fc.boolean(), (value, isIndented) => {
        const json = JSON.stringify({ a: { b: [value, { a: secret }] } }, null, isIndented ? 1 : 0);
        const masked = mask(json, ['$.a.b.*.a', '$.a.b.1.a']);
        assert.equal(masked?.includes(secret), false);
        assert.doesNotThrow(() => JSON.parse(masked ?? ''));
      }),
    );
  });
});
