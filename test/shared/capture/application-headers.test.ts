import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { findFailureHeaders } from '../../../shared/message/failure-headers.ts';

describe('a dead letter that its application wrote', () => {
  for (const [title, names] of Object.entries<Record<string, string | Buffer>>({
    'with names of points': {
      'dlq.original.topic': 'orders',
      'dlq.original.partition': '2',
      'dlq.original.offset': '41',
      'dlq.original.timestamp': '1772358000123',
      'dlq.consumer.group': 'billing',
      'dlq.error.class': 'PaymentDown',
      'dlq.error.message': '503 from payments',
      'dlq.attempts': '3',
      'dlq.host': 'billing-7',
    },
    'with names of hyphens': {
      'dlq-source-topic': 'orders',
      'dlq-source-partition': '2',
      'dlq-source-offset': '41',
      'dlq-source-timestamp': '2026-03-01T09:40:00.123Z',
      'dlq-consumer': 'billing',
      'dlq-error-type': 'PaymentDown',
      'dlq-error-message': '503 from payments',
      'dlq-attempts': '3',
    },
    'with binary numbers': {
      'X-DLT_Original_Topic': 'orders',
      'X-DLT_Original_Partition': Buffer.from('00000002', 'hex'),
      'X-DLT_Original_Offset': Buffer.from('0000000000000029', 'hex'),
      'X-DLT_Original_Timestamp': Buffer.from('0000019ca8c4ddfb', 'hex'),
      'X-DLT_Consumer_Group_Id': 'billing',
      'X-DLT_Exception_Type': 'PaymentDown',
      'X-DLT_Exception_Message': '503 from payments',
      'X-DLT_Delivery_Count': '3',
    },
    'with names of a proxy': {
      'x-original-topic': 'orders',
      'x-original-partition': '2',
      'x-original-offset': '41',
      'x-original-timestamp': '1772358000123',
      'x-group': 'billing',
      'x-error-class': 'PaymentDown',
      'x-error': '503 from payments',
      'x-attempts': '3',
      'x-failed-at': '2026-03-01T09:41:00Z',
    },
  })) {
    it(`is read by its headers, ${title}`, () => {
      const capture = read(names);
      assert.equal(capture.format, 'application');
      assert.deepEqual([capture.eventKey, capture.consumer], ['kafka:orders/2/41', 'billing']);
      assert.equal(capture.eventType, 'orders');
      assert.deepEqual([capture.errorClass, capture.errorReason, capture.sourceAttempts], facts);
      assert.equal(capture.occurredAt?.toISOString(), '2026-03-01T09:40:00.123Z');
    });

    it(`is sent again without its headers about the failure, ${title}`, () => {
      const isOfFailure = findFailureHeaders({ ...names, tenant: 'acme', 'x-request-id': '7' } as never);
      assert.ok(Object.keys(names).every(isOfFailure));
      assert.deepEqual(['tenant', 'x-request-id'].filter(isOfFailure), []);
    });
  }

  it('has the first position and the last error of two failures', () => {
    const capture = read(second, {
      'dlq.original.topic': 'orders-dead',
      'dlq.original.partition': '0',
      'dlq.original.offset': '7',
      'dlq.error.class': 'BankDown',
      'dlq.error.message': '504 from bank',
    });
    assert.deepEqual(
      [capture.eventKey, capture.errorReason],
      ['kafka:orders/2/41', 'BankDown: 504 from bank'],
    );
  });

  it('may name no message of its exception', () => {
    const capture = read({ ...second, 'dlq.error.message': 'null' });
    assert.equal(capture.errorReason, 'PaymentDown');
  });

  it('has a topic and an error under one prefix, or is a message', () => {
    for (const missing of ['dlq.original.topic', 'dlq.error.message']) {
      const { [missing]: _, ...names } = second;
      const others = missing === 'dlq.error.message' ? { 'dlq.error.class': undefined } : {};
      const capture = read({ ...names, ...others, [missing.replace('dlq.', 'app.')]: second[missing] ?? '' });
      assert.deepEqual([missing, capture.format], [missing, 'kafka']);
    }
  });

  for (const missing of ['dlq.original.partition', 'dlq.original.offset']) {
    it(`has the position of the dead letter without ${missing}`, () => {
      const { [missing]: _, ...names } = second;
      const { eventKey, eventType, sourceTopic, sourceOffset, errorReason } = read(names);
      assert.deepEqual(
        [eventKey, eventType, sourceTopic, sourceOffset, errorReason],
        ['kafka:orders-dead/0/7', 'orders', 'orders-dead', '7', 'PaymentDown: 503 from payments'],
      );
    });
  }

  it('may have no prefix, and keeps the headers of the message that look alike', () => {
    const headers = { original_topic: 'orders', error_message: '503', error_type: 'PaymentDown' };
    assert.equal(read(headers).errorReason, 'PaymentDown: 503');
    const isOfFailure = findFailureHeaders({ ...headers, source: 'shop', reason: 'gift', group: 'b2b' });
    assert.deepEqual(['source', 'reason', 'group', 'error_type'].filter(isOfFailure), ['error_type']);
  });

  it('is not one of Spring Cloud Stream, which has other headers and binary numbers', () => {
    const capture = read({
      'x-original-topic': 'orders',
      'x-original-partition': Buffer.from('00000002', 'hex'),
      'x-original-offset': Buffer.from('0000000000000029', 'hex'),
      'x-exception-fqcn': 'PaymentDown',
      'x-exception-message': '503 from payments',
    });
    assert.deepEqual([capture.format, capture.eventKey], ['spring-cloud-stream', 'kafka:orders/2/41']);
  });
});

const facts = ['PaymentDown', 'PaymentDown: 503 from payments', 3];

const second: Readonly<Record<string, string>> = {
  'dlq.original.topic': 'orders',
  'dlq.original.partition': '2',
  'dlq.original.offset': '41',
  'dlq.error.class': 'PaymentDown',
  'dlq.error.message': '503 from payments',
};

type Names = Readonly<Record<string, string | Buffer | undefined>>;

/** Reads a record with these headers, those of each failure after those before. */
function read(...failures: readonly Names[]) {
  const headers = failures.flatMap((names) =>
    Object.entries(names).flatMap(([key, value]) =>
      value === undefined ? [] : [{ key, value: Buffer.from(value).toString('base64') }],
    ),
  );
  const record = { topic: 'orders-dead', partition: 0, offset: 7, key: null, value: 'e30=', headers };
  const [capture] = readCaptures({
    path: '/',
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/vnd.kafka.binary.v2+json' },
    body: Buffer.from(JSON.stringify([record])),
  });
  return capture ?? assert.fail('no event was read');
}

describe('a task of Celery', () => {
  it('is sent again without the count of retries that was read from it', () => {
    const isOfFailure = findFailureHeaders({ task: 'charge', id: 't-1', retries: '3', root_id: 't-1' });
    assert.deepEqual(['task', 'id', 'retries', 'root_id'].filter(isOfFailure), ['retries']);
    assert.equal(findFailureHeaders({ retries: '3' })('retries'), false);
  });
});
