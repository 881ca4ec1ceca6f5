import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { listSteps, maskJson } from '../../../../shared/events/masking/mask.ts';

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

  it('returns nothing for text that is not JSON', () => {
    for (const text of ['', '{"a": ', '{"a": 1} x', '{/* no */"a": 1}', "{'a': 1}"]) {
      assert.equal(mask(text, ['$.a']), undefined);
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
