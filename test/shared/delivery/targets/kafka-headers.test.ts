import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LeasedEvent } from '../../../../shared/delivery/leased-event.ts';
import { restoreRecordHeaders } from '../../../../shared/delivery/targets/kafka-rest-target.ts';
import { aLeasedEvent } from '../../../support/leased-event.ts';

const restore = (event: Partial<LeasedEvent>) =>
  restoreRecordHeaders(aLeasedEvent(event)).map(([name, bytes]) => [name, bytes.toString('latin1')]);
const namesLeft = (names: string, event: Partial<LeasedEvent> = {}) => {
  const headers = Object.fromEntries(names.split(/\s+/).map((name) => [name, 'x']));
  return restore({ headers, ...event }).map(([name]) => name);
};

describe('the record headers of an event', () => {
  it('are those of the event, text as UTF-8', () => {
    assert.deepEqual(restore({ headers: { tenant: 'größe', 'With Space': '' } }), [
      ['tenant', 'gr\xc3\xb6\xc3\x9fe'],
      ['With Space', ''],
    ]);
  });

  it('keep their bytes if they were not text', () => {
    assert.deepEqual(restore({ headers: { schema: { base64: 'AAD/gA==' } } }), [['schema', '\0\0\xff\x80']]);
  });

  it('have the content type of the event only if it is a CloudEvent', () => {
    const contentType = 'application/json';
    assert.deepEqual(restore({ contentType, headers: { tenant: 'x' } }), [['tenant', 'x']]);
    assert.deepEqual(restore({ contentType, headers: { ce_specversion: '1.0' } }), [
      ['ce_specversion', '1.0'],
      ['content-type', contentType],
    ]);
  });

  it('keep repeats in their order', () => {
    assert.deepEqual(restore({ headers: { hop: ['b', { base64: '/w==' }, 'a'] } }), [
      ['hop', 'b'],
      ['hop', '\xff'],
      ['hop', 'a'],
    ]);
  });

  for (const [who, names] of Object.entries({
    'Kafka Connect': '__connect.errors.topic __connect.errors.exception.stacktrace',
    'Kafka Streams': '__streams.errors.exception __streams.errors.offset',
    'a share group': '__dlq.errors.group __dlq.errors.delivery.count',
    'Spring Kafka': `kafka_dlt-original-topic kafka_dlt-key-exception-fqcn kafka_original-offset
      kafka_exception-message kafka_deliveryAttempt retry_topic-attempts springDeserializerExceptionValue`,
    'Spring Kafka, in lower case as HTTP has it': 'kafka_deliveryattempt springdeserializerexceptionkey',
    'Spring Cloud Stream': `x-original-topic x-original-partition x-original-timestamp-type x-exception-fqcn
      x-exception-message x-exception-stacktrace`,
    SmallRye: 'dead-letter-reason dead-letter-cause delayed-retry-count delayed-retry-topic',
    Karafka: `source_topic source_partition source_offset source_consumer_group source_attempts
      source_trace_id`,
    Wolverine: `exception-type exception-message exception-stack failed-at original-destination
      original-partition original-offset attempts`,
    "Confluent's HTTP sink": `input_record_topic input_record_offset status_code reason_phrase error_message
      exception response_content url payload`,
    'the Pub/Sub sink': 'kafka.topic kafka.partition kafka.offset kafka.timestamp',
    'Pub/Sub': 'CloudPubSubDeadLetterSourceDeliveryCount cloudpubsubdeadlettersourcesubscription',
    'Dead Letter Office': 'dlo-event-id DLO-Attempt dlo-anything',
  })) {
    it(`omit the failure headers of ${who}`, () => {
      assert.deepEqual(namesLeft(`tenant ${names}`), ['tenant']);
    });
  }

  it('keep ambiguous names without the markers of a failure', () => {
    const names = `x-exception-message x-original-offset source_topic source_offset exception-type attempts
      original-offset error_message payload url kafka.offset kafka_correlationId key`;

    assert.deepEqual(namesLeft(names), names.split(/\s+/));
  });

  it('omit the key attribute of the Pub/Sub sink connector, and keep a header of that name', () => {
    assert.deepEqual(namesLeft('key', { sourceKey: 'x' }), []);
    assert.deepEqual(namesLeft('key', { sourceKey: 'customer-7' }), ['key']);
    // The connector destroyed bytes of it.
    assert.deepEqual(namesLeft('key kafka.topic', { sourceKey: 'customer-7' }), []);
  });

  it('omit a content type that capture detected', () => {
    assert.deepEqual(restore({ headers: {}, contentType: 'application/json' }), []);
  });
});

describe('the record headers of a CloudEvent', () => {
  it('have the names of the Kafka binding', () => {
    const headers = {
      'ce-specversion': '1.0',
      'ce-type': 'order',
      'ce-datacontenttype': 'text/csv',
      'ce-tenant': 'größe',
      specversion: 'ordinary',
    };

    assert.deepEqual(restore({ headers, contentType: 'text/csv' }), [
      ['ce_specversion', '1.0'],
      ['ce_type', 'order'],
      ['ce_tenant', 'gr\xc3\xb6\xc3\x9fe'],
      ['specversion', 'ordinary'],
      ['content-type', 'text/csv'],
    ]);
  });

  it('have its content type once if it was in structured mode', () => {
    const headers = { ce_specversion: '1.0', ce_datacontenttype: 'text/csv' };

    assert.deepEqual(restore({ headers, contentType: 'text/csv' }), [
      ['ce_specversion', '1.0'],
      ['content-type', 'text/csv'],
    ]);
  });

  it('are unchanged if it was in binary mode', () => {
    const headers = { ce_specversion: '1.0', 'content-type': 'text/csv; charset=utf-8' };

    assert.deepEqual(restore({ headers, contentType: 'text/csv' }), Object.entries(headers));
  });
});
