import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describeSchema } from '../../../functions/replay/api/describe-api.ts';
import { InputError } from '../../../shared/errors.ts';
import { paceNames } from '../../../shared/replay/rollout.ts';
import { RunRequestSchema, readRunRequest } from '../../../shared/replay/run-request.ts';
import { tries } from '../../support/sample.ts';

const pointer = fc.constantFrom('', '/a', '/a~1b');

/** Requests whose fields are valid one by one; some contradict each other. */
const goodRequest = fc.record(
  {
    filter: fc.constantFrom({ status: 'PENDING' }, { ids: ['1'] }, { ids: [1, 2] }),
    reason: fc.constantFrom('payments are back', 'x'),
    dryRun: fc.boolean(),
    target: fc.constant('http://shop/'),
    pace: fc.constantFrom(...paceNames),
    waitForTarget: fc.boolean(),
    toHeldTargets: fc.boolean(),
    ratePerSecond: fc.constantFrom(0.00001, 0.5, 100_000),
    patch: fc.array(
      fc.oneof(
        fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value: fc.jsonValue() }),
        fc.record({ op: fc.constant('remove'), path: pointer }),
        fc.record({ op: fc.constantFrom('move', 'copy'), path: pointer, from: pointer }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    edit: fc.constantFrom({ body: 'x' }, { headers: { a: ['1', { base64: 'eA==' }] } }),
  },
  { requiredKeys: ['filter', 'reason'] },
);

/** One field that may be invalid, or just valid. */
const oddity = fc.constantFrom(
  {},
  { filter: {} },
  { filter: { statuses: 'PENDING' } },
  { reason: '' },
  { toHeldTargets: 'yes' },
  { pace: 'slow' },
  { ratePerSecond: 0 },
  { patch: [] },
  { patch: [{ op: 'put', path: '/a' }] },
  { patch: [{ op: 'add', path: '/a' }] },
  { patch: [{ op: 'remove', path: 'a' }] },
  { edit: {} },
  { edit: { body: { base64: '!' } } },
  { edit: { headers: { a: [] } } },
  { edit: { headers: { a: 1 } } },
  { unknown: 1 },
);
const anyRequest = fc
  .tuple(goodRequest, fc.oneof(fc.constant({}), oddity))
  .map(([good, odd]) => ({ ...good, ...odd }));

describe('a request for a run', () => {
  const ajv = new Ajv2020({ strict: false });
  const isDescribed = ajv.compile(describeSchema(RunRequestSchema));
  const read = (body: object) => {
    try {
      return readRunRequest({ raw: JSON.stringify(body), now: new Date() });
    } catch (error) {
      assert.ok(error instanceof InputError, String(error));
      return undefined;
    }
  };

  it('is valid by the OpenAPI schema whenever it is accepted', () => {
    let allowed = 0;
    fc.assert(
      fc.property(anyRequest, (body) => {
        if (!read(body)) return;
        allowed += 1;
        assert.ok(isDescribed(body), `${JSON.stringify(body)}: ${ajv.errorsText(isDescribed.errors)}`);
      }),
      { numRuns: tries(2000) },
    );
    assert.ok(allowed > 5, `${allowed} were allowed`);
  });

  it('resolves relative times at its arrival', () => {
    const body = { filter: { failedAfter: '1h' }, dryRun: true };
    const request = readRunRequest({
      raw: JSON.stringify(body),
      now: new Date('2026-01-02T03:00:00Z'),
    });
    assert.deepEqual(request.filter, { failedAfter: '2026-01-02T02:00:00.000Z' });
  });

  it('has the same hash with other whitespace, and another hash with any other value', () => {
    const hash = (raw: string) => readRunRequest({ raw, now: new Date() }).hash;
    const plain = '{"filter":{"status":"PENDING"},"reason":"x"}';
    assert.equal(hash(plain), hash(`${plain.replaceAll(':', ' : ')}\n`));
    assert.notEqual(hash(plain), hash(plain.replace('"x"', '"y"')));
  });

  it('takes the key of its header, up to 255 characters', () => {
    const raw = JSON.stringify({ filter: { status: 'PENDING' }, reason: 'x' });
    const withKey = (key: string) => readRunRequest({ raw, key, now: new Date() });
    assert.equal(withKey('k').idempotencyKey, 'k');
    assert.throws(() => withKey('k'.repeat(256)), /Must have from 1 to 255 characters/);
  });
});
