import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Row, useCases } from '../../support/cases.ts';

const position = ({ source_topic, source_partition, source_offset }: Row) =>
  `${source_topic}/${source_partition}/${source_offset}`;

describe('messages that were exported', () => {
  const cases = useCases();

  /** Sends the file as it is, and returns the rows and what a target receives of them. */
  const send = async (file: unknown, path = '/') => {
    const sent = await cases.redeliver([{ path, body: JSON.stringify(file, null, '\t') }]);
    return { sent: sent.map(({ body, headers }) => [body.toString(), headers]), rows: await cases.rows() };
  };
  const isKept = async (file: object) => {
    const { sent } = await send(file, '/orders-dlq');
    assert.deepEqual(JSON.parse(String(sent.at(-1)?.[0])), file);
  };

  describe('by Kafka UI', () => {
    const headers = { tenant: 'acme', '__connect.errors.exception.message': 'no such customer' };
    const record = {
      ...{ Value: '{"orderId": 4711.0}', Offset: 52, Key: 'c-7', Partition: 1, Headers: headers },
      Timestamp: '2023-01-17T12:00:02.437Z',
    };

    it('are records of the topic in the path, and no exact copies', async () => {
      const { sent, rows } = await send([record, { ...record, Offset: 53, Headers: {} }], '/orders-dlq');
      const json = { 'content-type': 'application/json' };
      assert.deepEqual(sent, [
        [record.Value, { tenant: 'acme', ...json }],
        [record.Value, json],
      ]);
      assert.deepEqual(
        rows.map((row) => [position(row), row.source_key, row.error_reason, row.is_exact]),
        [
          ['orders-dlq/1/52', 'c-7', 'no such customer', null],
          ['orders-dlq/1/53', 'c-7', 'not reported', null],
        ],
      );
      assert.deepEqual(rows[0]?.occurred_at, new Date(record.Timestamp));
    });

    it('are read alone, and of releases that call the value content', async () => {
      const { Value: Content, ...others } = record;
      const { sent, rows } = await send({ Content, ...others }, '/orders-dlq');
      assert.deepEqual([sent[0]?.[0], rows.map(position)], [Content, ['orders-dlq/1/52']]);
    });

    it('are kept as they are without a value, or with another member', async () => {
      const { Value: _, ...others } = record;
      for (const other of [others, { ...record, Note: 'x' }, { ...record, Value: 5 }]) await isKept(other);
    });
  });

  describe('by Confluent Cloud', () => {
    const record = {
      ...{ topic: 'rabbitmq', partition: 0, offset: 3, timestamp: 1675344193025 },
      ...{ timestampType: 'CREATE_TIME', key: '0', value: '{"id": 0.0}', __confluent_index: 0 },
      headers: [
        { key: 'rabbitmq.message.id', stringValue: '0' },
        { key: 'rabbitmq.reply.to', stringValue: null },
      ],
    };

    it('are records with their headers, and no exact copies', async () => {
      const { sent, rows } = await send([record, { ...record, offset: 4, key: null, value: { id: 1 } }]);
      const own = { 'rabbitmq.message.id': '0', 'rabbitmq.reply.to': '' };
      assert.deepEqual(
        sent.map(([body, headers]) => [JSON.parse(String(body)), headers]),
        [{ id: 0 }, { id: 1 }].map((value) => [value, { ...own, 'content-type': 'application/json' }]),
      );
      assert.deepEqual(
        rows.map((row) => [position(row), row.source_key, row.is_exact]),
        [
          ['rabbitmq/0/3', '0', null],
          ['rabbitmq/0/4', null, null],
        ],
      );
    });

    it('are kept as they are, if they are rows of a query', async () => {
      await isKept({ ORDER_ID: '39216c93', offset: 9, __confluent_index: 9 });
    });
  });

  describe('by gcloud', () => {
    const attributes = {
      ...{ tenant: 'acme', CloudPubSubDeadLetterSourceDeliveryCount: '5' },
      ...{ CloudPubSubDeadLetterSourceSubscription: 'orders' },
      CloudPubSubDeadLetterSourceSubscriptionProject: 'p',
      CloudPubSubDeadLetterSourceTopicPublishTime: '2026-08-26T16:40:05.414+00:00',
    };
    const bytes = Buffer.from([0xfb, 0xff, 0xfe, 0x3e]);
    const message = { data: bytes.toString('base64url'), messageId: '21084424840618722' };
    const pulled = {
      ...{ ackId: 'SDofGScFTF5FLTg1aDwFUUZT', ackStatus: 'SUCCESS', deliveryAttempt: 1 },
      message: { ...message, attributes, publishTime: '2026-08-26T16:48:05.414Z' },
    };

    it('are messages of Pub/Sub with their attributes, byte for byte', async () => {
      const sent = await cases.redeliver([{ body: [pulled, pulled] }]);
      const [row, ...others] = await cases.rows();
      assert.deepEqual([sent[0]?.body, sent[0]?.headers.tenant, others], [bytes, 'acme', []]);
      assert.deepEqual(
        [row?.source_subscription, row?.source_attempts, row?.occurred_at],
        ['projects/p/subscriptions/orders', 5, new Date('2026-08-26T16:40:05.414Z')],
      );
    });

    it('have the id of the message as their identity, and no subscription', async () => {
      const { attributes: _, ...own } = pulled.message;
      const body = [{ ...pulled, message: own }];
      const [row, ...others] = await cases.rows({ body }, { body });
      assert.deepEqual(
        [row?.event_key, row?.source_kind, row?.source_subscription, others],
        ['delivery:/:21084424840618722', 'pubsub', null, []],
      );
    });

    it('are kept as they are with another member', async () => {
      await isKept({ ...pulled, note: 'x' });
      await isKept({ ackId: 'a', message: { text: 'hello' } });
    });
  });
});
