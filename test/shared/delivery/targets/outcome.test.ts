import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  judge,
  type Meaning,
  meaningOf,
  type Outcome,
  overrule,
  reasonCodesOfGrpcStatus,
  reasonCodesOfStatus,
} from '../../../../shared/delivery/targets/outcome.ts';

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const kindOfStatus = (status: number) => judge(reasonCodesOfStatus(status)).kind;
const kindOfCode = (code: number | undefined) => judge(reasonCodesOfGrpcStatus(code)).kind;
const statusesThatMean = (kind: Outcome['kind']) =>
  range(100, 599).filter((status) => kindOfStatus(status) === kind);

describe('an HTTP status', () => {
  it('is delivered from 200 to 299', () => {
    assert.deepEqual(statusesThatMean('delivered'), range(200, 299));
  });

  it('is permanent if the target can never accept this very message', () => {
    const permanent = [400, 406, 410, 411, 413, 414, 415, 416, 417, 422, 431, 451];

    assert.deepEqual(statusesThatMean('permanent'), permanent);
  });

  it('is ambiguous if a gateway forwarded the message and got no answer', () => {
    assert.deepEqual(
      statusesThatMean('ambiguous').filter((status) => status >= 200),
      [502, 504, 520, 524],
    );
  });

  it('is transient if it says nothing about the message', () => {
    const busyOrAbsent = [401, 403, 404, 405, 408, 409, 421, 425, 429, 500, 501, 503, 507, 521, 599];

    for (const status of [...busyOrAbsent, ...range(300, 399)])
      assert.equal(kindOfStatus(status), 'transient');
  });
});

describe('a gRPC code', () => {
  it('is ambiguous if the message may have been accepted', () => {
    assert.deepEqual(
      range(1, 16).filter((code) => kindOfCode(code) === 'ambiguous'),
      [1, 2, 4, 13],
    );
  });

  it('is permanent if the message itself is invalid', () => {
    assert.deepEqual(
      range(1, 16).filter((code) => kindOfCode(code) === 'permanent'),
      [3, 11],
    );
  });

  it('is transient otherwise, as for a missing topic', () => {
    assert.deepEqual(
      range(1, 16).filter((code) => kindOfCode(code) === 'transient'),
      [5, 6, 7, 8, 9, 10, 12, 14, 15, 16],
    );
  });

  it('is ambiguous if it is missing or unknown', () => {
    assert.deepEqual([undefined, 99].map(kindOfCode), ['ambiguous', 'ambiguous']);
  });
});

describe('a failure', () => {
  const isAbout = (subject: Meaning) =>
    range(300, 599).filter((status) => meaningOf(judge(reasonCodesOfStatus(status))) === subject);

  it('is about the target if no event can cause it, also behind a gateway', () => {
    assert.deepEqual(isAbout('target'), [502, 503, 504, 520, 521, 522, 523, 525, 526, 530]);
  });

  it('is a limit of the target if it says so, or when to come again', () => {
    assert.deepEqual(isAbout('limit'), [429]);
    const busy = { ...judge(reasonCodesOfStatus(503)), retryAfterSeconds: 0 };
    assert.equal(meaningOf(busy), 'limit');
  });

  it('is about the event first if its delivery timed out, and about the target if its connection ended', () => {
    assert.deepEqual(
      [['timeout', 'unanswered'], ['unanswered']].map((codes) => meaningOf(judge(codes))),
      ['event', 'target'],
    );
  });
});

describe('a network error', () => {
  it('is transient before the request was sent and ambiguous after it', () => {
    const judged = ['unsent', 'unanswered'].map((when) => judge(['ECONNRESET', when]).kind);

    assert.deepEqual(judged, ['transient', 'ambiguous']);
  });

  it('is judged correctly if its code is the name of an Object member', () => {
    assert.equal(judge(['constructor', 'unsent']).kind, 'transient');
  });
});

describe('the outcome on a route', () => {
  const failed = { ...judge(reasonCodesOfStatus(404)), responseStatus: 404, error: 'HTTP 404: no body' };

  it('is that of the table if the route does not configure it', () => {
    assert.equal(overrule(failed, { 500: 'permanent', ECONNRESET: 'transient' }), failed);
  });

  it('is that of the route for the status', () => {
    assert.deepEqual(overrule(failed, { 404: 'permanent' }), { ...failed, kind: 'permanent' });
  });

  it('is that of the route for the class, even if the table has the status itself', () => {
    const rejected = { ...judge(reasonCodesOfStatus(422)), error: 'HTTP 422: no body' };

    assert.equal(overrule(rejected, { '4xx': 'transient' }).kind, 'transient');
  });

  it('is that of the route for the status rather than for its class', () => {
    assert.equal(overrule(failed, { '4xx': 'ambiguous', 404: 'permanent' }).kind, 'permanent');
  });

  it('is that of the route for a gRPC status by name or number', () => {
    const absent = judge(reasonCodesOfGrpcStatus(5));

    assert.equal(overrule(absent, { 'grpc:5': 'permanent' }).kind, 'permanent');
    assert.equal(overrule(absent, { 'grpc:NOT_FOUND': 'permanent' }).kind, 'permanent');
  });

  it('has no error if the route maps a failure to delivered', () => {
    const { error: _, ...delivered } = failed;

    assert.deepEqual(overrule(failed, { 404: 'delivered' }), { ...delivered, kind: 'delivered' });
  });

  it('has an error if the route maps a success to a failure', () => {
    const accepted = { ...judge(reasonCodesOfStatus(202)), responseStatus: 202 };

    assert.equal(overrule(accepted, { 202: 'ambiguous' }).error, '202 means ambiguous on this route.');
  });

  it('cannot be overruled without a reason code', () => {
    const unseen: Outcome = { kind: 'permanent', error: 'Not sent.' };

    assert.equal(overrule(unseen, { '2xx': 'transient', unsent: 'transient' }), unseen);
  });
});
