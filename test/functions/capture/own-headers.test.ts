import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCaptures } from '../../../functions/capture/read-captures.ts';

const transport = {
  host: 'capture.example',
  'content-type': 'application/json',
  'user-agent': 'APIs-Google',
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
const task = { 'x-cloudtasks-queuename': 'q', 'x-cloudtasks-taskname': 't' };

describe('the headers of a request', () => {
  for (const [name, carrier] of Object.entries({ 'unwrapped push': pubsub, 'a task': task, 'a value': {} })) {
    it(`are those of the message, and no secret, for ${name}`, () => {
      assert.deepEqual(readHeaders({ ...transport, ...carrier, tenant: 'eu' }), { tenant: 'eu' });
    });
  }

  it('may have the name of one that each push has', () => {
    assert.deepEqual(readHeaders({ ...pubsub, from: '+49 30 1234' }), { from: '+49 30 1234' });
  });
});

function readHeaders(headers: Record<string, string>) {
  const body = Buffer.from('{"orderId": 1}');
  return readCaptures({ path: '/', query: new URLSearchParams(), headers, body })[0]?.headers;
}
