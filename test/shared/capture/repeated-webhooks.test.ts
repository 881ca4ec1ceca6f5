import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Sent, useCases } from '../../support/cases.ts';

describe('a webhook', () => {
  const cases = useCases();

  for (const [name, id, renewed] of [
    ['Standard Webhooks', { 'webhook-id': 'msg_1' }, ['webhook-timestamp', 'webhook-signature']],
    ['Svix', { 'svix-id': 'msg_1' }, ['svix-timestamp', 'svix-signature']],
    ['a sender with own ids', { event_id: 'e-1' }, ['x-slack-request-timestamp', 'x-slack-retry-num']],
    ['a sender with a key', { 'idempotency-key': 'k-1' }, ['paddle-signature', 'x-retry-count']],
  ] as const) {
    it(`of ${name} that is signed anew for each attempt stays one event`, async () => {
      const attempt = (text: string): Sent => ({
        headers: { ...id, ...Object.fromEntries(renewed.map((header) => [header, text])) },
        body: '{"type":"invoice.paid"}',
      });
      const sent = await cases.redeliver([attempt('1'), attempt('2'), attempt('1')]);
      assert.equal(sent.length, 1);
      assert.deepEqual(
        renewed.map((header) => sent[0]?.headers[header]),
        ['1', '1'],
      );
    });
  }

  it('without an id is an event for each time and signature', async () => {
    const beat = (time: string): Sent => ({ headers: { 'x-timestamp': time }, body: '{"beat":true}' });
    assert.equal((await cases.rows(beat('1'), beat('2'))).length, 2);
  });
});
