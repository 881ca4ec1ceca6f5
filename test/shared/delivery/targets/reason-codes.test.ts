import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isReasonCode,
  reasonCodesOfError,
  reasonCodesOfGrpcStatus,
  reasonCodesOfStatus,
  reasonCodesOfTimeout,
} from '../../../../shared/delivery/targets/outcome.ts';

describe('the reason codes of a delivery', () => {
  it('are the HTTP status and its class', () => {
    assert.deepEqual(reasonCodesOfStatus(404), ['404', '4xx']);
  });

  it('are the name and the number of a gRPC status', () => {
    assert.deepEqual([0, 5, 16].map(reasonCodesOfGrpcStatus), [
      ['grpc:OK', 'grpc:0'],
      ['grpc:NOT_FOUND', 'grpc:5'],
      ['grpc:UNAUTHENTICATED', 'grpc:16'],
    ]);
  });

  it('are the code of an error, and unsent or unanswered', () => {
    const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

    assert.deepEqual(reasonCodesOfError(reset, true), ['ECONNRESET', 'unanswered']);
    assert.deepEqual(reasonCodesOfError(reset, false), ['ECONNRESET', 'unsent']);
    assert.deepEqual(reasonCodesOfError('no error', true), ['unanswered']);
    // As undici has it of an answer that is not HTTP.
    const noHttp = Object.assign(new Error('not HTTP'), { code: undefined });
    assert.deepEqual(reasonCodesOfError(noHttp, true), ['unanswered']);
  });

  it('are the errors of the system for those that the HTTP client names itself', () => {
    const withCode = (code: string) => Object.assign(new Error('failed'), { code });

    assert.deepEqual(reasonCodesOfError(withCode('UND_ERR_SOCKET'), true), ['ECONNRESET', 'unanswered']);
    assert.deepEqual(reasonCodesOfError(withCode('UND_ERR_CONNECT_TIMEOUT'), false), ['ETIMEDOUT', 'unsent']);
    const tls = withCode('ERR_SSL_WRONG_VERSION_NUMBER');
    assert.deepEqual(reasonCodesOfError(tls, false), ['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO', 'unsent']);
  });

  it('are ETIMEDOUT and unsent if the timeout ends before anything was sent', () => {
    assert.deepEqual([true, false].map(reasonCodesOfTimeout), [
      ['timeout', 'unanswered'],
      ['ETIMEDOUT', 'unsent'],
    ]);
  });
});

describe('a reason code', () => {
  for (const text of [
    ...['200', '599', '2xx', '5xx', 'grpc:1', 'grpc:16', 'grpc:RESOURCE_EXHAUSTED'],
    ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE'],
    ...['ETIMEDOUT', 'EPROTO', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'HPE_INVALID_CONSTANT'],
    ...['ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_REQUIRED', 'timeout', 'unsent', 'unanswered'],
  ]) {
    it(`can be ${text}`, () => assert.ok(isReasonCode(text)));
  }

  for (const text of [
    ...['', '99', '100', '1xx', '600', '4XX', '40x', '404 ', 'grpc:0', 'grpc:17', 'grpc:OK', 'grpc:NOTFOUND'],
    ...['NOT FOUND', 'ECONRESET', 'econnreset', 'CERT_*', 'Timeout', 'constructor'],
  ]) {
    it(`cannot be ${JSON.stringify(text)}`, () => assert.ok(!isReasonCode(text)));
  }
});
