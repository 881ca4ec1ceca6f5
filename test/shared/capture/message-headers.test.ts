import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { readCapture } from '../../support/read-capture.ts';

const transport = {
  host: 'capture.example',
  'content-type': 'application/json',
  'user-agent': 'APIs-Google',
  upgrade: 'h2c',
  'http2-settings': 'AAEAAEAAAAIAAAAA',
  from: 'noreply@google.com',
  accept: 'application/json',
  'accept-encoding': 'gzip',
  forwarded: 'for="66.102.6.1";proto=https',
  'x-forwarded-for': '66.102.6.1',
  'x-cloud-trace-context': '0af7651916cd43dd8448eb211c80319c/13',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  authorization: 'Bearer secret',
  'x-serverless-authorization': 'Bearer secret',
  cookie: 'session=secret',
  'dlo-signature': 't=1,v1=secret',
};
const pubsub = { 'x-goog-pubsub-message-id': '1', 'x-goog-pubsub-subscription-name': 's' };
const event = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/shop', 'ce-type': 'paid' };
const task = { 'x-cloudtasks-queuename': 'q', 'x-cloudtasks-taskname': 't' };

describe('the headers of a captured message', () => {
  for (const [name, marks] of Object.entries({
    'an unwrapped push': pubsub,
    'a task': task,
    'a plain value': {},
  })) {
    it(`exclude transport headers and credentials of ${name}`, () => {
      assert.deepEqual(readHeaders({ ...transport, ...marks, tenant: 'eu' }), { tenant: 'eu' });
    });
  }

  it('include those beside the attributes of a CloudEvent, in binary and in structured mode', () => {
    assert.deepEqual(readHeaders({ ...transport, ...event, tenant: 'eu' }), { ...event, tenant: 'eu' });
    const attributes = { specversion: '1.0', id: '1', source: '/shop', type: 'paid' };
    // In binary mode it is the media type alone: an attribute would make another message of it.
    const data = { datacontenttype: 'application/json', data: { orderId: 1 } };
    const structured = JSON.stringify({ ...attributes, ...data });
    assert.deepEqual(readHeaders({ ...transport, tenant: 'eu' }, structured), { ...event, tenant: 'eu' });
  });

  it('include those that no signature covers beside a CloudEvent, in both modes', () => {
    const attributes = { specversion: '1.0', id: '1', source: '/shop', type: 'paid' };
    for (const [headers, body] of [
      [event, '{}'],
      [{}, JSON.stringify({ ...attributes, data: {} })],
    ] as const) {
      const request = { path: '/', query: new URLSearchParams(), headers, body: Buffer.from(body) };
      const [capture] = readCaptures({ ...request, unsignedHeaders: { ...transport, tenant: 'eu' } });
      assert.deepEqual({ ...capture?.headers }, { ...event, tenant: 'eu' });
    }
  });

  it('leave it the media type that no signature covers', () => {
    const request = { path: '/', query: new URLSearchParams(), headers: {}, body: Buffer.from('a;b') };
    const unsignedHeaders = { 'content-type': 'text/csv' };
    const [capture] = readCaptures({ ...request, unsignedHeaders, signature: 's' });
    assert.deepEqual([capture?.contentType, { ...capture?.headers }], ['text/csv', {}]);
  });

  it('exclude the key by which a sender repeats a CloudEvent', () => {
    const read = (key: string) => readCapture({}, { ...event, 'idempotency-key': key });
    assert.deepEqual([read('k1').headers, read('k1').deliveryId], [event, 'idempotency:k1']);
  });

  it('include a message attribute with the name of a push header', () => {
    assert.deepEqual(readHeaders({ ...pubsub, from: '+49 30 1234' }), { from: '+49 30 1234' });
  });

  it('include a message attribute with the name of a header in Latin-1', () => {
    const message = { messageId: '1', data: 'e30=', attributes: { tenant: '日本' } };
    const body = Buffer.from(JSON.stringify({ message, subscription: 's' }));
    const request = { path: '/', query: new URLSearchParams(), headers: { tenant: 'M\xfcller' }, body };
    const [capture] = readCaptures({ ...request, latin1Headers: ['tenant'] });
    assert.deepEqual(capture?.headers, { tenant: '日本' });
  });
});

function readHeaders(headers: Record<string, string>, text = '{"orderId": 1}') {
  const body = Buffer.from(text);
  return readCaptures({ path: '/', query: new URLSearchParams(), headers, body })[0]?.headers;
}
