import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Row, useCases } from '../../support/cases.ts';

const lines = { 'content-type': 'application/x-ndjson' };
const binary = { 'content-type': 'application/vnd.kafka.binary.v2+json' };
const position = ({ source_topic, source_partition, source_offset }: Row) =>
  `${source_topic}/${source_partition}/${source_offset}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a dead letter of Pulsar', () => {
  const cases = useCases();

  it('without the id of its original is an event for each message', async () => {
    const dead = (id: string) => ({
      headers: {
        ...{ pulsartopic: 'persistent://public/default/dlq', pulsarmessageid: id },
        'pulsarproperties-REAL_TOPIC': 'persistent://public/default/orders',
        'pulsarproperties-REAL_SUBSCRIPTION': 'billing',
      },
      body: '{"beat":true}',
    });
    const rows = await cases.rows(dead('1:2:0'), dead('1:3:0'), dead('1:3:0'));
    assert.deepEqual(
      rows.map(({ consumer_group, conflicts_with }) => [consumer_group, conflicts_with]),
      [
        ['billing', null],
        ['billing', null],
      ],
    );
  });
});

describe('a Kafka record', () => {
  const cases = useCases();

  it('that rpk printed has headers that are text, whatever they look like', async () => {
    const headers = { tenant: 'acme', paid: 'true', trace: 'abcd1234' };
    const list = Object.entries(headers).map(([key, value]) => ({ key, value }));
    const value = '{"orderId":4711,"total":1.50}';
    const record = { topic: 'orders-dlq', key: 'customer7', value, headers: list, timestamp: 1690000000000 };
    const body = `${JSON.stringify({ ...record, partition: 0, offset: 12 })}\n`;
    const [sent] = await cases.redeliver([{ headers: lines, body }]);
    const [row] = await cases.rows();
    assert.deepEqual([row?.source_key, row && position(row)], ['customer7', 'orders-dlq/0/12']);
    assert.deepEqual(
      [sent?.body.toString(), sent?.headers],
      [value, { ...headers, 'content-type': 'application/json' }],
    );
  });

  it('that kaf printed has its payload as the value', async () => {
    const time = '2025-07-04T12:53:46.841+02:00';
    const record = { topic: 'orders.dlq', partition: 0, offset: 0, timestamp: time, headers: [], key: '1' };
    const body = `${JSON.stringify({ ...record, payload: '{"data":1}' })}\n`;
    const [row] = await cases.rows({ headers: lines, body });
    assert.deepEqual(
      [row?.payload, row?.source_key, row && position(row)],
      [{ data: 1 }, '1', 'orders.dlq/0/0'],
    );
  });

  describe('that Redpanda Console saved', () => {
    const text = (payload: string, size?: number) => ({ payload, encoding: 'text', size });
    const value = { payload: { orderId: 4711 }, encoding: 'json', schemaId: 7, size: 16 };
    const headers = [
      { key: 'tenant', value: text('acme') },
      { key: 'paid', value: text('"true"', 4) },
      { key: 'quoted', value: text('"a"', 3) },
      { key: '__connect.errors.exception.message', value: text('"no such customer"', 16) },
    ];
    const saved = { partitionID: 1, offset: 52, timestamp: 1690000000000, headers, key: null, value };
    const send = (...records: readonly object[]) =>
      cases.redeliver([{ path: '/orders-dlq', body: JSON.stringify(records, null, 4) }]);

    it('is read as a record of the topic in the path, and is no exact copy', async () => {
      const [sent] = await send({ ...saved, compression: 'lz4', isTransactional: false, key: text('c-7') });
      const [row] = await cases.rows();
      assert.deepEqual(
        [row?.source_key, row && position(row), row?.error_reason, row?.is_exact, row?.metadata],
        ['c-7', 'orders-dlq/1/52', 'no such customer', null, { envelope: { schemaId: 7 } }],
      );
      assert.deepEqual(JSON.parse(sent?.body.toString() ?? ''), value.payload);
      const own = { tenant: 'acme', paid: 'true', quoted: '"a"' };
      assert.deepEqual(sent?.headers, { ...own, 'content-type': 'application/json' });
    });

    it('has the bytes that were saved, and no key if that is null', async () => {
      const none = { payload: '', encoding: 'null', isPayloadNull: true };
      const rawPayload = base64('{"orderId": 4711.0}');
      const [sent] = await send({ ...saved, key: none, value: { ...value, rawPayload } });
      const [row] = await cases.rows();
      assert.deepEqual([sent?.body.toString(), row?.source_key], ['{"orderId": 4711.0}', null]);
    });

    for (const [title, other] of Object.entries({
      'bytes were lost': { value: { payload: '\uFFFD', encoding: 'binary', size: 4 } },
      'value is null': { value: { payload: '', encoding: 'null', isPayloadNull: true } },
      'value has another member': { value: { ...value, note: 'x' } },
      'header has another member': { headers: [{ key: 'a', value: { ...text('x'), note: 'x' } }] },
    }))
      it(`is kept as it is, if its ${title}`, async () => {
        const record = JSON.parse(JSON.stringify({ ...saved, ...other }));
        const [sent] = await send(record);
        assert.deepEqual(JSON.parse(sent?.body.toString() ?? ''), record);
      });
  });

  it('that AKHQ exported has headers that are text', async () => {
    const headers = [
      { key: 'kafka_dlt-exception-message', value: 'no such customer' },
      { key: 'flag', value: 'true' },
    ];
    const record = { topic: 'orders.DLT', partition: 1, offset: 77, key: 'customer7', value: '{}', headers };
    const body = [
      { ...record, timestamp: '2026-11-25T10:00:00.000Z', timestampType: 'CREATE_TIME', keySchemaId: null },
    ];
    const [sent] = await cases.redeliver([{ body }]);
    const [row] = await cases.rows();
    assert.deepEqual([row?.error_reason, sent?.headers.flag], ['no such customer', 'true']);
  });

  for (const [title, headers, expected] of [
    [
      'x-',
      {
        'x-original-topic': 'orders',
        'x-error-message': 'no',
        'x-retry-count': '3',
        'x-failed-at': '2026-11-25T10:00:00Z',
      },
      ['no', 3, 'orders-dlq/0/8100'],
    ],
    [
      'dlq-',
      { 'dlq-original-topic': 'orders', 'dlq-error': 'no', 'dlq-attempts': '3' },
      ['no', 3, 'orders-dlq/0/8100'],
    ],
    ['no prefix', { original_topic: 'orders', error_message: 'no' }, ['no', null, 'orders-dlq/0/8100']],
    [
      'no prefix, and the position of the original',
      {
        original_topic: 'orders',
        original_partition: '0',
        original_offset: '12',
        error_message: 'no',
        error_type: 'E',
      },
      ['E: no', null, 'orders/0/12'],
    ],
  ] as const) {
    it(`with an application's headers about its failure has their reason: ${title}`, async () => {
      const list = Object.entries({ ...headers, tenant: 'acme' }).map(([key, value]) => ({
        key,
        value: base64(value),
      }));
      const record = { topic: 'orders-dlq', partition: 0, offset: 8100, timestamp: 1690000000000, key: null };
      const body = [{ ...record, value: base64('{}'), headers: list }];
      const [sent] = await cases.redeliver([{ headers: binary, body }]);
      const [row] = await cases.rows();
      assert.deepEqual([row?.error_reason, row?.source_attempts, row && position(row)], expected);
      assert.equal(row?.event_type, 'orders');
      assert.deepEqual(sent?.headers, { tenant: 'acme', 'content-type': 'application/json' });
    });
  }

  it('with numbers of any size is exact', async () => {
    const value = '{"n":12345678901234567890.10,"a":1,"a":2}';
    const body = `[{"topic":"t85","key":null,"value":${value},"partition":0,"offset":9007199254740993}]`;
    const headers = { 'content-type': 'application/vnd.kafka.json.v2+json' };
    const [sent] = await cases.redeliver([{ headers, body }]);
    const [row] = await cases.rows();
    assert.deepEqual([sent?.body.toString(), row?.source_offset], [value, '9007199254740993']);
  });
});
