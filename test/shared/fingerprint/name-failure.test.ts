import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Failure, nameFailure } from '../../../shared/fingerprint/fingerprint.ts';
import { stacks } from './stacks.ts';

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
