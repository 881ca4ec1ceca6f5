import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitsOf } from '../../../shared/delivery/targets/target-kinds.ts';
import { aPush, useCases } from '../../support/cases.ts';
import { aLeasedEvent } from '../../support/leased-event.ts';

describe('the headers of a message', () => {
  const cases = useCases();
  const target = { kind: 'http' as const, url: 'http://target', headers: {}, allowHeaders: [] };

  it('have the bytes that came, UTF-8 or not', async () => {
    const utf8 = Buffer.from('Zürich €').toString('latin1');
    const headers = { 'x-customer': 'M\xfcller', 'x-city': utf8, 'x-ascii': 'a' };
    const [sent] = await cases.redeliver([{ headers, body: '{}' }]);
    const [row] = await cases.rows();
    assert.deepEqual(sent?.headers, { ...headers, 'content-type': 'application/json' });
    assert.deepEqual(row?.headers, {
      'x-customer': { base64: 'TfxsbGVy' },
      'x-city': 'Zürich €',
      'x-ascii': 'a',
    });
  });

  it('are named where HTTP cannot carry them as they came', async () => {
    const attributes = {
      padded: ' a ',
      lines: 'a\nb',
      tab: '\tx',
      empty: '',
      emoji: '🐘',
      'with space': 'v',
      X_Real_IP: '1',
    };
    const [sent] = await cases.redeliver([{ body: aPush('{}', attributes) }]);
    assert.deepEqual(sent?.headers, {
      ...{ padded: '%20a%20', lines: 'a%0Ab', tab: '%09x', empty: '' },
      emoji: Buffer.from('🐘').toString('latin1'),
      'content-type': 'application/json',
    });
    const limits = limitsOf(target, { ...aLeasedEvent({ headers: attributes }), bodyBytes: 2 });
    assert.deepEqual(
      limits.map(({ effect, part }) => [effect, part]),
      [
        ['changed', 'header padded'],
        ['changed', 'header lines'],
        ['changed', 'header tab'],
        ['omitted', 'header with space'],
        ['omitted', 'header X_Real_IP'],
      ],
    );
  });

  it('are withheld where they state who calls, unless the target allows them', async () => {
    const headers = { origin: 'https://shop.example', 'x-authentik-username': 'ann', tenant: 'acme' };
    const [withheld, allowed] = [
      ...(await cases.redeliver([{ headers, body: '{}' }])),
      ...(await cases.redeliver([], { allowHeaders: ['origin'] })).slice(1),
    ].map((each) => Object.keys(each.headers).sort());
    assert.deepEqual(withheld, ['content-type', 'tenant']);
    assert.deepEqual(allowed, ['content-type', 'origin', 'tenant']);
  });

  it('are stored without credentials, by whatever way they came', async () => {
    const names = [
      'x-amzn-oidc-data',
      'x-webhook-token',
      'X_Api_Key',
      'accessToken',
      'clientSecret',
      'x-secret-key',
      'Pwd',
      'DD-APPLICATION-KEY',
    ];
    const secret = Object.fromEntries(names.map((name) => [name, 's3cret']));
    const list = Object.entries(secret).map(([key, value]) => ({ key, value }));
    const rows = await cases.rows(
      { headers: secret, body: '{"a":1}' },
      { body: aPush('{}', secret) },
      { body: { error: 'e', payload: 1, headers: secret } },
      { body: { topic: 't', partition: 0, offset: 1, key: null, value: 'v', headers: list } },
    );
    assert.equal(rows.length, 4);
    assert.ok(!JSON.stringify(rows).includes('s3cret'));
    assert.ok(rows.every(({ metadata }) => JSON.stringify(metadata).includes('withheld')));
  });
});

describe('a CloudEvent', () => {
  const cases = useCases();
  const required = { specversion: '1.0', id: 'e-1', type: 'doc.created', source: '//x/y' };
  const named = (prefix: string, more = {}) =>
    Object.fromEntries(
      Object.entries({ ...required, ...more }).map(([name, value]) => [`${prefix}${name}`, `${value}`]),
    );
  const sentAs = { 'ce-specversion': '1.0', 'ce-id': 'e-1', 'ce-type': 'doc.created', 'ce-source': '//x/y' };
  const subject = 'users/Žofie 100%25 "q"';
  const encoded = 'users/%C5%BDofie%20100%2525%20%22q%22';

  it('in the attributes of Pub/Sub is percent-encoded for HTTP', async () => {
    const attributes = {
      ...named('ce-', { subject, document: ' lead' }),
      'content-type': 'application/json',
    };
    const [sent] = await cases.redeliver([{ body: aPush('{"a":1}', attributes) }]);
    assert.deepEqual(sent?.headers, {
      ...sentAs,
      ...{ 'ce-subject': encoded, 'ce-document': '%20lead', 'content-type': 'application/json' },
    });
  });

  it('in the headers of a Kafka record gets the prefix and the encoding of HTTP', async () => {
    const headers = { ...named('ce_', { subject }), tenant: 'acme', 'content-type': 'text/plain' };
    const list = Object.entries(headers).map(([key, value]) => ({ key, value }));
    const [sent] = await cases.redeliver([
      { body: { topic: 't', partition: 0, offset: 1, key: null, value: 'v', headers: list } },
    ]);
    assert.deepEqual(sent?.headers, {
      ...sentAs,
      ...{ 'ce-subject': encoded, tenant: 'acme', 'content-type': 'text/plain' },
    });
  });

  it('in an unwrapped push is sent with the headers that came', async () => {
    const push = { 'x-goog-pubsub-message-id': '1', 'x-goog-pubsub-subscription-name': 's' };
    const [sent] = await cases.redeliver([
      { headers: { ...push, ...sentAs, 'ce-subject': encoded }, body: '{"a":1}' },
    ]);
    assert.deepEqual(sent?.headers, { ...sentAs, 'ce-subject': encoded, 'content-type': 'application/json' });
  });

  it('over HTTP is sent with the attributes and the bytes that came', async () => {
    const headers = {
      ...sentAs,
      'ce-subject': 'documents/%C5%BDofie%20',
      'content-type': 'application/protobuf',
    };
    const body = Buffer.from('0a0b0a046e616d6512035aebb11203ff0001', 'hex');
    const [sent] = await cases.redeliver([{ headers, body }]);
    assert.deepEqual([sent?.headers, sent?.body], [headers, body]);
  });

  it('over HTTP that lacks a required attribute is sent with the attributes that came', async () => {
    const { 'ce-type': _, ...others } = sentAs;
    const headers = { ...others, 'ce-subject': encoded, 'content-type': 'application/json' };
    const [sent] = await cases.redeliver([{ headers, body: '{}' }]);
    assert.deepEqual(sent?.headers, headers);
  });

  for (const [way, type, send] of [
    ['Pub/Sub', 'application/cloudevents+json', (text: string) => ({ body: aPush(text) })],
    [
      'Pub/Sub, where its sender calls it JSON',
      'application/cloudevents+json',
      (text: string) => ({ body: aPush(text, { 'content-type': 'application/json' }) }),
    ],
    [
      'Kafka',
      'application/cloudevents+json; charset=UTF-8',
      (value: string) => {
        const headers = [{ key: 'content-type', value: 'application/cloudevents+json; charset=UTF-8' }];
        return { body: { topic: 't', partition: 0, offset: 1, key: null, value, headers } };
      },
    ],
  ] as const) {
    it(`in structured mode through ${way} is sent as it came, and has its facts`, async () => {
      const text = JSON.stringify({ ...required, data: { orderId: 4711 }, traceid: '00-1' });
      const [sent] = await cases.redeliver([send(text)]);
      const [row] = await cases.rows();
      assert.deepEqual([row?.event_id, row?.event_type], ['e-1', 'doc.created']);
      assert.deepEqual([sent?.body.toString(), sent?.headers], [text, { 'content-type': type }]);
    });
  }

  for (const more of [
    '"data_base64":"not base64!"',
    '"data":{"a":1},"data_base64":"AP8="',
    '"data_base64":5',
    '"data_base64":"="',
    '"data":{"a":1},"Id":"e-2"',
  ]) {
    it(`over HTTP of which something would be lost is kept whole, and the answer says so: ${more}`, async () => {
      const body = `{"specversion":"1.0","id":"e-1","source":"/a","type":"t",${more}}`;
      const type = 'application/cloudevents+json';
      const [answer] = await cases.answers({ headers: { 'content-type': type }, body });
      const [sent] = await cases.redeliver([]);
      assert.equal(answer?.unread, 'not of the format cloudevents');
      assert.deepEqual([sent?.body.toString(), sent?.headers], [body, { 'content-type': type }]);
    });
  }

  it('over HTTP that has no data and that nobody declares is kept whole, and has its facts', async () => {
    const body = JSON.stringify(required);
    const [sent] = await cases.redeliver([{ headers: { 'content-type': 'application/json' }, body }]);
    const [row] = await cases.rows();
    assert.deepEqual([row?.event_id, row?.event_type], ['e-1', 'doc.created']);
    assert.deepEqual([sent?.body.toString(), sent?.headers], [body, { 'content-type': 'application/json' }]);
  });

  for (const [data, type, bytes, sentType] of [
    ['"{\\"a\\": 1.50}"', 'application/json', '"{\\"a\\": 1.50}"', 'application/json'],
    ['"<a>\\u00e9</a>"', 'application/xml', '<a>é</a>', 'application/xml'],
    ['{"b":1.50}', 'application/vnd.acme+json', '{"b":1.50}', 'application/vnd.acme+json'],
    ['"[1]\\n[2]\\n"', 'application/x-ndjson', '[1]\n[2]\n', 'application/x-ndjson'],
    ['"hi"', 'text/plain; profile=json', 'hi', 'text/plain; profile=json'],
    ['"caf\\u00e9"', 'text/plain; charset=iso-8859-1', 'café', 'text/plain; charset=utf-8'],
  ] as const) {
    it(`in structured mode over HTTP is sent in binary mode, with data as ${type}`, async () => {
      const body = `{"specversion":"1.0","id":"s","source":"/a","type":"t","datacontenttype":"${type}","data":${data}}`;
      const [sent] = await cases.redeliver([
        { headers: { 'content-type': 'application/cloudevents+json' }, body },
      ]);
      assert.deepEqual([sent?.body.toString(), sent?.headers['content-type']], [bytes, sentType]);
    });
  }
});
