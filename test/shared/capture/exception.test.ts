import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeException } from '../../../shared/capture/formats/describe-exception.ts';

const outer = 'org.apache.kafka.connect.errors.DataException';
const trace = `${outer}: Failed
\tat a.B.c(B.java:1)
\tSuppressed: java.lang.IllegalStateException: not the cause
\t\tat a.B.d(B.java:2)
\tCaused by: java.lang.Error: not the cause either
Caused by: java.lang.RuntimeException: wrapped
\t... 3 more
Caused by: com.acme.SchemaException: field 7
 at [Source: REDACTED; line: 1]
\tat java.base/jdk.internal.Ref.<init>(Ref.java:3)
`;
const reasonOf = (message: string | null, stacktrace: string | null = trace) =>
  describeException({ errorClass: outer, message, stacktrace }).reason;

describe('the reason of a dead letter', () => {
  for (const message of [
    'Converting byte[] to Kafka Connect data failed due to serialization error: ',
    'Failed to deserialize data for topic orders to Avro: ',
    'failed to deserialize',
    'Sending failed and no retries remain, stopping',
    'SRMSG00103: Exception thrown when calling the method a.B#c',
    'Error deserializing VALUE for partition orders-0 at offset 3. If needed, please seek past the record.',
    'Exception caught in process. taskId=0_0, topic=orders, partition=0, offset=3',
    "Listener method 'public void a.B.c(java.lang.String)' threw exception; ",
    'Listener failed; failed to deserialize',
    '',
    null,
  ]) {
    it(`is the innermost cause if the message says nothing: ${message}`, () => {
      assert.equal(reasonOf(message), 'com.acme.SchemaException: field 7\n at [Source: REDACTED; line: 1]');
    });

    it(`is the message itself if there is no cause: ${message}`, () => {
      const own = message?.replace(/^Listener (method '.*' threw exception|failed); /, '');
      assert.equal(reasonOf(message, null), [outer, own || []].flat().join(': '));
    });
  }

  it('is the message if it says what went wrong', () => {
    assert.equal(reasonOf('Value (many) was out of range'), `${outer}: Value (many) was out of range`);
  });

  it('is without the words of the listener or handler that caught the exception', () => {
    for (const wrapper of [
      "Listener method 'void a.B.c(java.util.Map<java.lang.String, java.lang.Integer>) throws java.lang.Exception' threw exception",
      'Listener failed',
      'Exception thrown at 2026-03-01T09:55:00Z',
      'Listener method could not be invoked with the incoming message\nEndpoint handler details:\nMethod [void a.B.c(java.lang.String[])]\nBean [a.B@24e616ab]',
      'error occurred in message handler [a.B$1@2f179f99]',
    ]) {
      assert.equal(reasonOf(`${wrapper}; no stock; 3 left`), `${outer}: no stock; 3 left`);
    }
  });

  it('has the class of the exception whose message it is', () => {
    const described = describeException({ errorClass: null, message: 'wrapped', stacktrace: trace });
    assert.equal(described.errorClass, 'java.lang.RuntimeException');
    assert.equal(reasonOf('Listener failed; wrapped'), 'java.lang.RuntimeException: wrapped');
  });

  it('has no class that only stands before its message in the middle of a line', () => {
    const stacktrace = 'Error: connect failed: timeout\n    at connect (net.js:1)';
    const described = describeException({ errorClass: null, message: 'timeout', stacktrace });
    assert.deepEqual(described, { errorClass: null, reason: 'timeout' });
  });

  it('is without the words of Spring 5, which name the class', () => {
    const nested = 'Listener failed; nested exception is java.io.IOException';
    assert.equal(
      reasonOf(`${nested}: no route; retry later`, null),
      'java.io.IOException: no route; retry later',
    );
    assert.equal(reasonOf(nested, null), 'java.io.IOException');
    assert.match(reasonOf(`${nested}: failed to deserialize`) ?? '', /^com\.acme\.SchemaException: field 7/);
  });

  it('names a class once', () => {
    assert.equal(reasonOf(outer, null), outer);
  });
});
