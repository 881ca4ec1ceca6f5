import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeGrpcCode, judgeStatus } from '../../../shared/targets/outcome.ts';

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe('an HTTP status', () => {
  it('means delivered from 200 to 299', () => {
    assert.deepEqual(new Set(range(200, 299).map(judgeStatus)), new Set(['delivered']));
  });

  it('means permanent where the target can never accept this very message', () => {
    const permanent = range(100, 599).filter((status) => judgeStatus(status) === 'permanent');

    assert.deepEqual(permanent, [400, 406, 410, 411, 413, 414, 415, 416, 417, 422, 431, 451]);
  });

  it('means transient where it says nothing about the message', () => {
    const busyOrAbsent = [401, 403, 404, 405, 408, 409, 421, 425, 429, ...range(500, 599)];
    const redirects = range(300, 399);

    assert.deepEqual(new Set([...busyOrAbsent, ...redirects].map(judgeStatus)), new Set(['transient']));
  });

  it('is never ambiguous: there was an answer', () => {
    assert.ok(!range(100, 599).map(judgeStatus).includes('ambiguous'));
  });
});

describe('a gRPC code', () => {
  it('means ambiguous where the message may have been accepted', () => {
    const ambiguous = range(1, 16).filter((code) => judgeGrpcCode(code) === 'ambiguous');

    assert.deepEqual(ambiguous, [1, 2, 4, 13]);
    assert.equal(judgeGrpcCode(undefined), 'ambiguous');
  });

  it('means permanent where the message itself is at fault', () => {
    assert.deepEqual(
      range(1, 16).filter((code) => judgeGrpcCode(code) === 'permanent'),
      [3, 11],
    );
  });

  it('means transient otherwise, as for a topic that is not there yet', () => {
    const [notFound, denied, exhausted, unavailable] = [5, 7, 8, 14].map(judgeGrpcCode);

    assert.deepEqual(
      new Set([notFound, denied, exhausted, unavailable, judgeGrpcCode(16)]),
      new Set(['transient']),
    );
  });
});
