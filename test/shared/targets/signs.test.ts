import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isSign,
  signsOfError,
  signsOfGrpcCode,
  signsOfStatus,
  signsOfTimeout,
} from '../../../shared/targets/signs.ts';

describe('the signs of a delivery', () => {
  it('are the status of the answer and its class', () => {
    assert.deepEqual(signsOfStatus(404), ['404', '4xx']);
  });

  it('are the name and the number of a gRPC code', () => {
    assert.deepEqual([0, 5, 16].map(signsOfGrpcCode), [
      ['grpc:OK', 'grpc:0'],
      ['grpc:NOT_FOUND', 'grpc:5'],
      ['grpc:UNAUTHENTICATED', 'grpc:16'],
    ]);
  });

  it('are the code of an error, and whether anything was sent before it', () => {
    const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

    assert.deepEqual(signsOfError(reset, true), ['ECONNRESET', 'unanswered']);
    assert.deepEqual(signsOfError(reset, false), ['ECONNRESET', 'unsent']);
    assert.deepEqual(signsOfError('no error', true), ['unanswered']);
  });

  it('of our own timeout are those of a connection that was not made in time, where nothing was sent', () => {
    assert.deepEqual([true, false].map(signsOfTimeout), [
      ['timeout', 'unanswered'],
      ['ETIMEDOUT', 'unsent'],
    ]);
  });
});

describe('a sign', () => {
  for (const text of [
    ...['200', '599', '2xx', '5xx', 'grpc:1', 'grpc:16', 'grpc:RESOURCE_EXHAUSTED'],
    ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE'],
    ...['ETIMEDOUT', 'EPROTO', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'HPE_INVALID_CONSTANT'],
    ...['ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_REQUIRED', 'timeout', 'unsent', 'unanswered'],
  ]) {
    it(`can be ${text}`, () => assert.ok(isSign(text)));
  }

  for (const text of [
    ...['', '99', '100', '1xx', '600', '4XX', '40x', '404 ', 'grpc:0', 'grpc:17', 'grpc:OK', 'grpc:NOTFOUND'],
    ...['NOT FOUND', 'ECONRESET', 'econnreset', 'CERT_*', 'Timeout', 'constructor'],
  ]) {
    it(`cannot be ${JSON.stringify(text)}`, () => assert.ok(!isSign(text)));
  }
});
