import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { rejectUnlessLocal } from '../../../functions/identity/local-caller.ts';

const from = (remoteAddress: string | undefined) =>
  ({ headers: { host: 'localhost' }, socket: { remoteAddress } }) as unknown as IncomingMessage;

describe('a local caller', () => {
  for (const address of ['127.0.0.1', '127.8.0.9', '::1', '::ffff:127.0.0.1']) {
    it(`is accepted from ${address}`, () => rejectUnlessLocal(from(address)));
  }

  // The socket of a caller that hung up has no address.
  for (const address of [
    '10.0.0.7',
    '128.0.0.1',
    '::ffff:10.0.0.7',
    '2001:db8::1',
    '1127.0.0.1',
    undefined,
  ]) {
    it(`is rejected from ${address}`, () => {
      assert.throws(() => rejectUnlessLocal(from(address)), { code: 'NOT_AUTHORIZED' });
    });
  }
});
