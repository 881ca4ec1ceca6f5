import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { cloudEvent, http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { deadLetters } from '../../../packages/client/client.ts';
import { useCapture } from '../../support/capture.ts';
import { useCaptureFront } from '../../support/client/capture-front.ts';
import { useDatabase } from '../../support/database.ts';
import { readBodies } from '../../support/stored-bodies.ts';

const fail = () => {
  throw new Error('no stock');
};
const subscription = 'projects/acme/subscriptions/orders';

describe('a function of the functions-framework', () => {
  const database = useDatabase();
  const capture = useCapture(database);
  const front = useCaptureFront(() => capture().url);
  const servers: Server[] = [];
  const urls: Record<string, string> = {};
  before(async () => {
    const options = { capture: front().url, consumer: 'billing', attempts: 1, warn: () => {} };
    http('failing-push', deadLetters({ ...options, from: 'express' }).wrap(fail));
    cloudEvent('failing-event', deadLetters({ ...options, from: 'cloudevent' }).wrap(fail));
    for (const name of ['failing-push', 'failing-event']) {
      const server = getTestServer(name);
      servers.push(server);
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const address = server.address();
      urls[name] = typeof address === 'object' ? `http://127.0.0.1:${address?.port}/` : '';
    }
  });
  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  beforeEach(() => database().clear());
  const post = async (name: string, headers: Record<string, string>, body: string) => {
    const response = await fetch(urls[name] ?? '', { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  };
  const json = { 'content-type': 'application/json' };
  const readIds = () => database().sql('select event_id, source_subscription from dlq_events');

  it('has the exact bytes of a request stored, and answers 204', async () => {
    assert.equal(await post('failing-push', json, '{"amount": 1.10}'), 204);
    assert.deepEqual(await readBodies(database()), [Buffer.from('{"amount": 1.10}')]);
  });

  it('asks Pub/Sub to push again while capture is down', async () => {
    const message = { data: 'AP8=', messageId: '7', publishTime: '2026-09-21T14:13:20Z' };
    const push = JSON.stringify({ message, subscription });
    front().faults.push('unsent');
    assert.equal(await post('failing-push', json, push), 503);
    assert.equal(await post('failing-push', json, push), 204);
    assert.deepEqual(await readIds(), [{ event_id: '7', source_subscription: subscription }]);
    assert.deepEqual(await readBodies(database()), [Buffer.from([0, 255])]);
  });

  it('answers a redelivery that fails, and reports it to no one: it cannot circle', async () => {
    const ours = { ...json, 'dlo-event-id': `17.${'0'.repeat(32)}`, 'dlo-attempt': '2' };
    assert.equal(await post('failing-push', ours, '{}'), 500);
    assert.equal(front().received.length, 0);
  });

  it('has the message of an Eventarc trigger stored, and asks for it again while capture is down', async () => {
    const event = {
      'ce-id': '8',
      'ce-source': '//pubsub.googleapis.com/projects/acme/topics/orders',
      'ce-type': 'google.cloud.pubsub.topic.v1.messagePublished',
      'ce-specversion': '1.0',
    };
    const data = { message: { data: 'AP8=', messageId: '8' }, subscription };
    front().faults.push(503);
    assert.equal(await post('failing-event', { ...json, ...event }, JSON.stringify(data)), 500);
    assert.equal(await post('failing-event', { ...json, ...event }, JSON.stringify(data)), 204);
    assert.deepEqual(await readIds(), [{ event_id: '8', source_subscription: subscription }]);
    assert.deepEqual(await readBodies(database()), [Buffer.from([0, 255])]);
  });
});
