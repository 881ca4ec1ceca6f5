import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyPatch as applyToValue, type Operation as ValueOperation } from 'rfc6902';
import type { Operation } from '../../../shared/json/apply-patch.ts';
import { applyPatch } from '../../../shared/json/apply-patch.ts';
import { PatchError } from '../../../shared/json/json-nodes.ts';
import { tries } from '../../support/sample.ts';

const refusal = (json: string, ...patch: Operation[]) => {
  try {
    return `applied: ${applyPatch(json, patch)}`;
  } catch (error) {
    assert.ok(error instanceof PatchError, String(error));
    return error.message;
  }
};

/** Cases of the RFC's appendix A and text. */
const cases: readonly [what: string, json: string, patch: Operation, expected: string][] = [
  ['a member is added', '{"a": 1}', { op: 'add', path: '/b', value: '[2]' }, '{"a": 1,"b":[2]}'],
  ['a member that exists is replaced by add', '{"a": 1}', { op: 'add', path: '/a', value: '2' }, '{"a": 2}'],
  ['an element is put before another', '[1, 2]', { op: 'add', path: '/1', value: '9' }, '[1, 9,2]'],
  ['an element is put at the end', '[1]', { op: 'add', path: '/-', value: '9' }, '[1,9]'],
  ['an element is put where the list ends', '[1]', { op: 'add', path: '/1', value: '9' }, '[1,9]'],
  ['an empty object gets a member', '{ }', { op: 'add', path: '/a', value: 'null' }, '{"a":null }'],
  ['the first member goes with its comma', '{"a": 1, "b": 2}', { op: 'remove', path: '/a' }, '{"b": 2}'],
  ['the last member goes with its comma', '{"a": 1, "b": 2}', { op: 'remove', path: '/b' }, '{"a": 1}'],
  ['the only element goes', '[ 1 ]', { op: 'remove', path: '/0' }, '[  ]'],
  [
    'a value is replaced in its place',
    '{"a": {"b": [1]}}',
    { op: 'replace', path: '/a/b/0', value: '{}' },
    '{"a": {"b": [{}]}}',
  ],
  ['the whole document is replaced', '[1]', { op: 'replace', path: '', value: '2' }, '2'],
  ['a value is moved', '{"a": 1, "b": {}}', { op: 'move', from: '/a', path: '/b/c' }, '{"b": {"c":1}}'],
  ['an element is moved', '[1,2,3]', { op: 'move', from: '/0', path: '/2' }, '[2,3,1]'],
  ['a value is copied', '{"a": [1.0]}', { op: 'copy', from: '/a', path: '/b' }, '{"a": [1.0],"b":[1.0]}'],
  [
    'a name with / and ~ is found',
    '{"a/b~c": 1}',
    { op: 'replace', path: '/a~1b~0c', value: '2' },
    '{"a/b~c": 2}',
  ],
  [
    'a test compares numbers by value',
    '{"a": 1.50e3}',
    { op: 'test', path: '/a', value: '1500' },
    '{"a": 1.50e3}',
  ],
  [
    'a test does not mind the order of members',
    '{"a":1,"b":2}',
    { op: 'test', path: '', value: '{"b":2,"a":1}' },
    '{"a":1,"b":2}',
  ],
];

const rejected: readonly [what: string, json: string, patch: Operation, reason: RegExp][] = [
  ['is not there', '{}', { op: 'remove', path: '/a' }, /There is no \/a\./],
  ['has no parent', '{}', { op: 'add', path: '/a/b', value: '1' }, /no parent object or array/],
  ['lies past the end of a list', '[1]', { op: 'add', path: '/2', value: '1' }, /The list has 1 elements/],
  ['is no index', '[1]', { op: 'replace', path: '/length', value: '0' }, /There is no \/length/],
  ['is inherited', '{}', { op: 'replace', path: '/constructor/a', value: '0' }, /There is no/],
  ['would be moved into itself', '{"a": {}}', { op: 'move', from: '/a', path: '/a/b' }, /into itself/],
  [
    'differs in its last digit',
    '{"a": 9007199254740993}',
    { op: 'test', path: '/a', value: '9007199254740992' },
    /values differ/,
  ],
  ['stands twice', '{"a": 1, "a": 2}', { op: 'replace', path: '/a', value: '3' }, /There are 2 members "a"/],
  ['is no JSON', 'a: 1', { op: 'add', path: '/a', value: '3' }, /It is not JSON/],
  [
    'is nested too deeply',
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    { op: 'remove', path: '/0' },
    /too deeply/,
  ],
];

describe('a patch', () => {
  for (const [what, json, operation, expected] of cases) {
    it(`is applied so that ${what}`, () => assert.equal(applyPatch(json, [operation]), expected));
  }

  for (const [what, json, operation, reason] of rejected) {
    it(`does not apply to a value that ${what}`, () => assert.match(refusal(json, operation), reason));
  }

  it('keeps every number that it does not name as it was written', () => {
    const json = '{"id": 9007199254740993, "price": 1.10, "big": 1e400, "name": "x"}';
    const patched = applyPatch(json, [{ op: 'replace', path: '/name', value: '"y"' }]);
    assert.equal(patched, json.replace('"x"', '"y"'));
  });

  it('reports the operation that did not apply', () => {
    const patch = [{ op: 'add', path: '/b', value: '1' } as const, { op: 'remove', path: '/c' } as const];
    assert.equal(refusal('{}', ...patch), 'patch[1] (remove /c): There is no /c.');
  });

  it('agrees with the rfc6902 package wherever that package does not fail', () => {
    fc.assert(
      fc.property(anyDocument, fc.array(anyOperation, { maxLength: 4 }), (document, patch) => {
        const expected = applyByPackage(document, patch);
        const own = refusal(JSON.stringify(document), ...patch.map(toOwn));
        if (expected === undefined) assert.doesNotMatch(own, /^applied/);
        else assert.deepEqual(JSON.parse(own.replace('applied: ', '')), expected);
      }),
      { numRuns: tries(2000) },
    );
  });
});

describe('a patch of a hostile document or by a hostile request', () => {
  const copies = (count: number): Operation[] =>
    Array.from({ length: count }, (_, i) => ({ op: 'copy', from: '', path: `/x${i}` }));

  it('does not apply if it makes the document much larger', () => {
    const start = process.cpuUsage();
    assert.throws(
      () => applyPatch('{"a": "x"}', copies(30)),
      /The document grows by more than 1048576 characters/,
    );
    assert.ok(process.cpuUsage(start).user < 5_000_000);
  });

  it('does not apply if it reads a large document too often', () => {
    const large = JSON.stringify({ a: 'x'.repeat(900_000) });
    const shrink: Operation[] = Array(100).fill({ op: 'replace', path: '/a', value: '1' });
    assert.equal(applyPatch(large, shrink), '{"a":1}');
    const keep: Operation[] = Array.from({ length: 100 }, (_, i) => ({
      op: 'add',
      path: '/b',
      value: `${i}`,
    }));
    assert.throws(() => applyPatch(large, keep), /read too much of a large document/);
  });

  it('compares numbers with a million zeros or digits of an exponent, and objects with many members, in linear time', () => {
    const start = process.cpuUsage();
    for (const number of [`1${'0'.repeat(1_000_000)}1`, `1e${'9'.repeat(8_000_000)}`]) {
      const json = `{"n":${number}}`;
      assert.equal(applyPatch(json, [{ op: 'test', path: '/n', value: number }]), json);
      assert.match(
        refusal(json, { op: 'test', path: '/n', value: number.replace('1', '2') }),
        /values differ/,
      );
    }
    const members = JSON.stringify(
      Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`m${i}`, i])),
    );
    assert.equal(applyPatch(members, [{ op: 'test', path: '', value: members }]), members);
    assert.ok(process.cpuUsage(start).user < 5_000_000);
  });
});

const name = fc.constantFrom('a', 'b', 'c/d', '~');
const pointer = fc
  .array(fc.constantFrom('a', 'b', 'c~1d', '~0'), { minLength: 1, maxLength: 3 })
  .map((tokens) => tokens.map((token) => `/${token}`).join(''));
// Without lists and indexes: the package accepts /list/name as a member of a list and loses the value written there, and
// it accepts /text/0 as a value inside a text.
const scalar = fc.oneof(fc.integer(), fc.string(), fc.constant(null));
const anyDocument = fc.dictionary(
  name,
  fc.oneof(scalar, fc.dictionary(name, scalar, { noNullPrototype: true })),
  {
    noNullPrototype: true,
  },
);
const value = fc.oneof(anyDocument, scalar);
const anyOperation = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value }),
  fc.record({ op: fc.constant('remove'), path: pointer }),
  fc.record({ op: fc.constantFrom('move', 'copy'), path: pointer, from: pointer }),
);

function toOwn(operation: { op: string; path: string; value?: unknown }): Operation {
  return (
    'value' in operation ? { ...operation, value: JSON.stringify(operation.value) } : operation
  ) as Operation;
}

/** The package returns some errors and throws others. */
function applyByPackage(document: object, patch: readonly object[]): unknown {
  const value = structuredClone(document);
  try {
    const errors = applyToValue(value, patch as ValueOperation[]);
    return errors.every((error) => error === null) ? value : undefined;
  } catch {
    return undefined;
  }
}
