import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { checkSignature } from '../../../functions/capture/check-signature.ts';
import { NotAuthorizedError } from '../../../shared/errors.ts';

const secret = 'a secret of a bridge';
const body = Buffer.from('{"orderId": 1}');
const now = 1_772_358_000;

const sign = (time: number, bytes = body, key = secret) =>
  `t=${time},v1=${createHmac('sha256', key).update(`${time}.`).update(bytes).digest('hex')}`;
const check = (signature: string | undefined, secrets = [secret]) =>
  checkSignature(secrets, signature, body, now);

describe('a signed request', () => {
  it('is accepted within five minutes of its time', () => {
    for (const time of [now - 300, now, now + 300]) check(sign(time));
  });

  it('is rejected if its time differs by more than five minutes', () => {
    for (const time of [now - 301, now + 301]) assert.throws(() => check(sign(time)), NotAuthorizedError);
  });

  it('is rejected if the body was changed', () => {
    assert.throws(() => check(sign(now, Buffer.from('{"orderId": 2}'))), NotAuthorizedError);
  });

  it('is rejected if the time was changed', () => {
    assert.throws(() => check(sign(now).replace(`${now}`, `${now + 1}`)), NotAuthorizedError);
  });

  it('is rejected without a valid signature header', () => {
    for (const signature of [undefined, '', 't=1', `t=${now},v1=ff`, sign(now).toUpperCase()]) {
      assert.throws(() => check(signature), NotAuthorizedError);
    }
  });

  it('is accepted under each of two secrets during rotation', () => {
    check(sign(now, body, 'the secret before it'), [secret, 'the secret before it']);
    assert.throws(() => check(sign(now, body, 'the secret before it')), NotAuthorizedError);
  });
});
