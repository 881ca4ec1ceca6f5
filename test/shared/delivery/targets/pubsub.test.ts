import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { token } from '../../../support/leased-event.ts';
import { aPubSubDelivery } from '../../../support/pubsub-delivery.ts';
import { usePubSubTarget } from '../../../support/pubsub-target.ts';
import { send } from '../../../support/send.ts';

describe('a delivery by Pub/Sub', () => {
  const target = usePubSubTarget();
  const deliver = async (delivery: Parameters<typeof aPubSubDelivery>[1]) => {
    const outcome = await send(aPubSubDelivery(target().topic, delivery));
    assert.equal(outcome.kind, 'delivered', outcome.error);
    const message = target().messages().at(-1);
    assert.ok(message);
    return { outcome, message };
  };
  const attributesOf = async (delivery: Parameters<typeof aPubSubDelivery>[1]) =>
    (await deliver(delivery)).message.attributes;

  for (const [what, body] of Object.entries({
    'every byte there is': Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
    'nothing at all': Buffer.alloc(0),
    'five megabytes': Buffer.alloc(5_000_000, 'x'),
  })) {
    it(`publishes exactly the bytes of ${what}`, async () => {
      assert.ok((await deliver({ body })).message.data.equals(body));
    });
  }

  it('records the message id', async () => {
    const { outcome, message } = await deliver({});

    assert.deepEqual(outcome, { kind: 'delivered', responseBody: `message ${message.messageId}` });
  });

  it('publishes the attributes of the event', async () => {
    const headers = { tenant: 'acme', größe: '€ 😀', 'with space': '' };

    assert.deepEqual(await attributesOf({ event: { headers } }), {
      ...headers,
      'dlo-event-id': `1.${token}`,
      'dlo-attempt': '1',
    });
  });

  it('publishes none of the facts that dlo- attributes state', async () => {
    const headers = { 'dlo-error-reason': 'timeout', 'DLO-Key': 'k', 'dlo-attempt': '7' };

    assert.deepEqual(await attributesOf({ event: { headers } }), {
      'dlo-event-id': `1.${token}`,
      'dlo-attempt': '1',
    });
  });

  it('publishes the last value of a repeated header, and bytes as base64', async () => {
    const headers = { hop: ['a', 'b'], trace: { base64: '/wA=' } };
    const { hop, trace } = await attributesOf({ event: { headers } });

    assert.deepEqual({ hop, trace }, { hop: 'b', trace: '/wA=' });
  });

  it('publishes CloudEvents attributes by the names of the Pub/Sub binding', async () => {
    const attributes = await attributesOf({
      event: { headers: { ce_specversion: '1.0', ce_subject: 'a b' } },
    });

    assert.deepEqual([attributes['ce-specversion'], attributes['ce-subject']], ['1.0', 'a b']);
  });

  it('sets dlo-event-id and dlo-attempt, whatever the event claims', async () => {
    const headers = { 'dlo-event-id': '666', 'dlo-attempt': '0' };

    assert.deepEqual(await attributesOf({ event: { id: '42', headers }, attempt: 3 }), {
      'dlo-event-id': `42.${token}`,
      'dlo-attempt': '3',
    });
  });

  it('publishes the ordering key, or none if the event has none', async () => {
    const keys = [];
    for (const sourceKey of ['customer-7', null]) {
      keys.push((await deliver({ event: { sourceKey } })).message.orderingKey);
    }

    assert.deepEqual(keys, ['customer-7', '']);
  });

  it('publishes a text key exactly, and derived text for a binary key', async () => {
    const keys = [];
    for (const sourceKeyBytes of [Buffer.from('a\0'), Buffer.from([0xff]), Buffer.alloc(1025, 'k')]) {
      keys.push((await deliver({ event: { sourceKey: 'made of it', sourceKeyBytes } })).message.orderingKey);
    }

    assert.deepEqual(keys, ['a\0', 'made of it', 'made of it']);
  });
});
