import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge, type Outcome, overrule } from '../../../shared/targets/outcome.ts';
import { signsOfGrpcCode, signsOfStatus } from '../../../shared/targets/signs.ts';

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const kindOfStatus = (status: number) => judge(signsOfStatus(status)).kind;
const kindOfCode = (code: number | undefined) => judge(signsOfGrpcCode(code)).kind;
const statusesThatMean = (kind: Outcome['kind']) =>
  range(100, 599).filter((status) => kindOfStatus(status) === kind);

describe('an HTTP status', () => {
  it('means delivered from 200 to 299', () => {
    assert.deepEqual(statusesThatMean('delivered'), range(200, 299));
  });

  it('means permanent where the target can never accept this very message', () => {
    const permanent = [400, 406, 410, 411, 413, 414, 415, 416, 417, 422, 431, 451];

    assert.deepEqual(statusesThatMean('permanent'), permanent);
  });

  it('means ambiguous where a gateway passed the message on and got no answer', () => {
    assert.deepEqual(
      statusesThatMean('ambiguous').filter((status) => status >= 200),
      [502, 504, 520, 524],
    );
  });

  it('means transient where it says nothing about the message', () => {
    const busyOrAbsent = [401, 403, 404, 405, 408, 409, 421, 425, 429, 500, 501, 503, 507, 521, 599];

    for (const status of [...busyOrAbsent, ...range(300, 399)])
      assert.equal(kindOfStatus(status), 'transient');
  });
});

describe('a gRPC code', () => {
  it('means ambiguous where the message may have been accepted', () => {
    assert.deepEqual(
      range(1, 16).filter((code) => kindOfCode(code) === 'ambiguous'),
      [1, 2, 4, 13],
    );
  });

  it('means permanent where the message itself is at fault', () => {
    assert.deepEqual(
      range(1, 16).filter((code) => kindOfCode(code) === 'permanent'),
      [3, 11],
    );
  });

  it('means transient otherwise, as for a topic that is not there yet', () => {
    assert.deepEqual(
      range(1, 16).filter((code) => kindOfCode(code) === 'transient'),
      [5, 6, 7, 8, 9, 10, 12, 14, 15, 16],
    );
  });

  it('means ambiguous where there is none, or one that nobody knows', () => {
    assert.deepEqual([undefined, 99].map(kindOfCode), ['ambiguous', 'ambiguous']);
  });
});

describe('an error of the network', () => {
  it('means transient before the request was sent and ambiguous after it', () => {
    const judged = ['unsent', 'unanswered'].map((when) => judge(['ECONNRESET', when]).kind);

    assert.deepEqual(judged, ['transient', 'ambiguous']);
  });

  it('means that too where its code is a word that every JavaScript object knows', () => {
    assert.equal(judge(['constructor', 'unsent']).kind, 'transient');
  });
});

describe('the outcome on a route', () => {
  const failed = { ...judge(signsOfStatus(404)), responseStatus: 404, error: 'HTTP 404: no body' };

  it('is that of the table where the route says nothing of it', () => {
    assert.equal(overrule(failed, { 500: 'permanent', ECONNRESET: 'transient' }), failed);
  });

  it('is what the route says of the status', () => {
    assert.deepEqual(overrule(failed, { 404: 'permanent' }), { ...failed, kind: 'permanent' });
  });

  it('is what the route says of the class, though the table knows the status itself', () => {
    const refused = { ...judge(signsOfStatus(422)), error: 'HTTP 422: no body' };

    assert.equal(overrule(refused, { '4xx': 'transient' }).kind, 'transient');
  });

  it('is what the route says of the status rather than of its class', () => {
    assert.equal(overrule(failed, { '4xx': 'ambiguous', 404: 'permanent' }).kind, 'permanent');
  });

  it('is what the route says of a gRPC code by its name or by its number', () => {
    const absent = judge(signsOfGrpcCode(5));

    assert.equal(overrule(absent, { 'grpc:5': 'permanent' }).kind, 'permanent');
    assert.equal(overrule(absent, { 'grpc:NOT_FOUND': 'permanent' }).kind, 'permanent');
  });

  it('has no error where the route takes a failure for a delivery', () => {
    const { error: _, ...delivered } = failed;

    assert.deepEqual(overrule(failed, { 404: 'delivered' }), { ...delivered, kind: 'delivered' });
  });

  it('has an error where the route takes a success for none', () => {
    const accepted = { ...judge(signsOfStatus(202)), responseStatus: 202 };

    assert.equal(overrule(accepted, { 202: 'ambiguous' }).error, '202 means ambiguous on this route.');
  });

  it('cannot be overruled where nothing was seen that could be named', () => {
    const unseen: Outcome = { kind: 'permanent', error: 'Not sent.' };

    assert.equal(overrule(unseen, { '2xx': 'transient', unsent: 'transient' }), unseen);
  });
});
