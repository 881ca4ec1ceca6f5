import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { findFrames } from '../../../shared/fingerprint/find-frames.ts';
import { type Failure, nameFailure } from '../../../shared/fingerprint/fingerprint.ts';
import { stacks } from './stacks.ts';

/** Failures as programs report them, with the name of their group and the frames of the whole stack. */
type Named = ReturnType<typeof nameFailure> & { readonly frames: readonly string[] };
const named: readonly (readonly [what: string, facts: Partial<Failure>, expected: Named])[] = JSON.parse(
  readFileSync(new URL('named-failures.json', import.meta.url), 'utf8'),
);

const name = (facts: Partial<Failure>) =>
  nameFailure({
    errorClass: null,
    errorReason: null,
    errorStacktrace: null,
    eventType: 'order.created',
    consumer: 'shop',
    ...facts,
  });

describe('the name of an error group', () => {
  for (const [language, { print, titles, frames }] of Object.entries(stacks)) {
    it(`has the outermost error of a ${language} stack, its causes and its first own frame`, () => {
      const { title, causes, frame } = name({ errorStacktrace: print(7) });

      assert.deepEqual([title, ...causes], titles);
      assert.equal(frame, frames[0]);
    });
  }

  for (const [what, facts, expected] of named) {
    it(`is known for ${what}`, () => {
      const frames = findFrames(facts.errorStacktrace ?? '');
      assert.deepEqual({ ...name({ eventType: 't', consumer: null, ...facts }), frames }, expected);
    });
  }

  it('begins with the reported error, followed by the causes in its stack', () => {
    const errorStacktrace = stacks.Java?.print(7) ?? '';
    const { title, causes } = name({ errorClass: 'ShopError', errorReason: 'bad order', errorStacktrace });

    assert.equal(title, 'ShopError: bad order');
    assert.deepEqual(causes, ['com.acme.OrderNotFoundException: order 7 not found']);
  });

  it('names a reported root cause once', () => {
    const errorStacktrace = stacks.Java?.print(7) ?? '';
    const { title, causes } = name({
      errorClass: 'com.acme.OrderNotFoundException',
      errorReason: 'order 7 not found',
      errorStacktrace,
    });

    assert.deepEqual([title, causes], ['com.acme.OrderNotFoundException: order 7 not found', []]);
  });

  it('without a reason is the event type and the consumer', () => {
    assert.equal(name({}).title, 'No reason given: order.created at shop');
    assert.equal(name({ errorReason: 'not reported' }).title, 'No reason given: order.created at shop');
    assert.equal(name({ errorReason: '  ' }).title, 'No reason given: order.created at shop');
    assert.equal(name({ eventType: '', consumer: null }).title, 'No reason given');
  });
});
