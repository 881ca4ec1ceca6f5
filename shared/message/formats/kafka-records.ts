import type { FormatRecord } from './format.ts';

const offset = /^\d{1,18}$/;

/** A record of Kafka in JSON. Its headers are texts: which may look like base64, but only a media type says so. */
const record: FormatRecord = {
  name: 'kafka-records',
  kind: 'kafka',
  source: 'https://docs.confluent.io/kafka-connectors/gcp-functions/current/overview.html',
  when: { topic: 'text', partition: 'count', offset, value: 'there' },
  only: { '': ['timestampType', 'keySchemaId', 'valueSchemaId', 'leader_epoch', 'size'] },
  position: ['topic', 'partition', 'offset'],
  time: 'timestamp as millis | timestamp',
  key: 'key as text',
  body: 'value as text',
  headers: 'headers',
  metadata: { envelope: 'json: as schemas' },
  cloudEvents: true,
};

/** Records of a bridge, whose media type says how key, value and headers are printed. */
function defineBridge(form: 'json' | 'binary' | 'text', more: Partial<FormatRecord>): FormatRecord {
  return {
    ...record,
    source: 'https://strimzi.io/docs/bridge/latest/',
    when: {
      'header:content-type': new RegExp(String.raw`^application/vnd\.kafka\.${form}\b`, 'i'),
      ...record.when,
    },
    headers: 'headers as bytes',
    ...more,
  };
}

/** Records that bridges and tools of Kafka print, in order of precedence. */
export const kafkaRecords: readonly FormatRecord[] = [
  // Printed again: 1.50 became 1.5.
  defineBridge('json', { body: 'value as source', origin: 'text:bridge' }),
  defineBridge('binary', { key: 'key as bytes', body: 'value as bytes' }),
  defineBridge('text', {}),
  // Confluent's sinks for functions, rpk and AKHQ.
  record,
  {
    // kaf
    ...record,
    when: { topic: 'text', partition: 'count', offset, timestamp: 'date', payload: 'text' },
    body: 'payload as text',
  },
  {
    // `kcat -J`. With an Avro schema it prints JSON.
    ...record,
    name: 'kcat',
    source: 'https://github.com/edenhill/kcat/blob/master/json.c',
    when: {
      ...{ topic: 'text', partition: 'count', offset },
      ...{ broker: 'count', key: 'there', payload: 'there' },
    },
    only: { '': ['tstype', 'key_schema_id', 'value_schema_id'] },
    time: 'ts as millis',
    body: 'payload as text',
    headers: 'headers as list',
    origin: 'payload as reprinted',
  },
];
