import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { readBySources as read } from '../../support/read-sources.ts';

describe('a webhook of a known service', () => {
  const json = { 'content-type': 'application/json' };
  const examples: readonly [
    name: string,
    headers: Record<string, string>,
    body: unknown,
    id: string,
    type: string,
  ][] = [
    [
      'github',
      { 'x-github-event': 'issues', 'x-github-delivery': 'd1' },
      { action: 'opened' },
      'd1',
      'issues.opened',
    ],
    ['gitlab', { 'x-gitlab-event': 'Push Hook', 'x-gitlab-event-uuid': 'u1' }, {}, 'u1', 'Push Hook'],
    [
      'shopify',
      { 'x-shopify-topic': 'products/delete', 'x-shopify-webhook-id': 'w1' },
      { id: 5 },
      'w1',
      'products/delete',
    ],
    ['standard-webhooks', { 'webhook-id': 'msg_1' }, { type: 'invoice.paid' }, 'msg_1', 'invoice.paid'],
    [
      'google-push',
      { 'x-goog-channel-id': 'c', 'x-goog-message-number': '42', 'x-goog-resource-state': 'update' },
      '',
      'c/42',
      'update',
    ],
    [
      'cloud-scheduler',
      { 'x-cloudscheduler-jobname': 'j', 'x-cloudscheduler-scheduletime': 't' },
      {},
      'j/t',
      'j',
    ],
    [
      'sendgrid',
      { 'x-twilio-email-event-webhook-signature': 's', 'x-twilio-email-event-webhook-timestamp': '1' },
      [{ event: 'bounce' }, { event: 'open' }],
      '1/s',
      'bounce',
    ],
  ];
  for (const [name, headers, body, id, type] of examples) {
    it(`is recognized by the documented headers of ${name}, and kept whole with them`, () => {
      const captures = read([], { headers: { ...json, ...headers }, body });
      assert.equal(captures.length, 1);
      const [capture] = captures as [Capture];
      assert.deepEqual([capture.format, capture.eventId, capture.eventType], [name, id, type]);
      assert.equal(capture.body.toString(), typeof body === 'string' ? body : JSON.stringify(body));
      assert.deepEqual(capture.headers, headers);
    });
  }
});
