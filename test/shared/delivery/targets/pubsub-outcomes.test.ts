import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pubSub } from '../../../../shared/delivery/targets/pubsub-target.ts';
import { aLeasedEvent } from '../../../support/leased-event.ts';
import { aPubSubDelivery } from '../../../support/pubsub-delivery.ts';
import { usePubSubTarget } from '../../../support/pubsub-target.ts';
import { send } from '../../../support/send.ts';

const tooLong = { headers: { note: 'x'.repeat(1025) } };

describe('the outcome of a delivery by Pub/Sub', () => {
  const target = usePubSubTarget();
  const deliver = (delivery: Parameters<typeof aPubSubDelivery>[1] = {}) =>
    send(aPubSubDelivery(target().topic, delivery));

  it('is transient if the topic does not exist', async () => {
    const { kind, error } = await send(aPubSubDelivery('projects/acme/topics/nobody'));

    assert.equal(kind, 'transient');
    assert.match(error ?? '', /NOT_FOUND.*nobody/);
  });

  for (const [code, expected] of [
    ['UNAVAILABLE', 'transient'],
    ['RESOURCE_EXHAUSTED', 'transient'],
    ['PERMISSION_DENIED', 'transient'],
    ['INVALID_ARGUMENT', 'permanent'],
    ['DEADLINE_EXCEEDED', 'ambiguous'],
    ['INTERNAL', 'ambiguous'],
  ] as const) {
    it(`is ${expected} after ${code}, without retries of the client`, async () => {
      target().failNext('Publish', { code });

      const { kind, error } = await deliver();
      assert.equal(kind, expected);
      assert.match(error ?? '', new RegExp(code));
      assert.equal(target().messages().length, 0);
    });
  }

  it('is permanent for a message that exceeds the limits of Pub/Sub', async () => {
    const event = { ...aLeasedEvent(tooLong), bodyBytes: 2 };
    const message = pubSub.compose(event, { kind: 'pubsub', topic: target().topic }, 1);
    const { kind, responseStatus, error } = await message.send(Buffer.from('{}'), 10);

    assert.deepEqual([kind, responseStatus], ['permanent', 3]);
    assert.match(error ?? '', /attribute note has 1025 bytes/);
  });

  for (const afterwards of [false, true]) {
    it(`is ambiguous if no response arrives in time, with the message ${afterwards ? '' : 'not '}accepted`, async () => {
      target().failNext('Publish', { code: 'HANG', afterwards });

      assert.equal((await deliver({ timeoutSeconds: 2 })).kind, 'ambiguous');
      assert.equal(target().messages().length, afterwards ? 1 : 0);
    });
  }

  it('of a bad message does not affect good ones that are published with it', async () => {
    const outcomes = await Promise.all([{}, { event: tooLong }, {}].map(deliver));

    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['delivered', 'permanent', 'delivered'],
    );
  });

  it('of a bad message does not affect good ones of its ordering key', async () => {
    const key = { sourceKey: 'customer-7' };
    const deliveries = [{ event: { ...key, ...tooLong } }, { event: key }, { event: key }];

    assert.deepEqual(
      (await Promise.all(deliveries.map(deliver))).map(({ kind }) => kind),
      ['permanent', 'delivered', 'delivered'],
    );
  });

  it('of an ordering key can be delivered after a failure', async () => {
    const event = { sourceKey: 'customer-7' };
    target().failNext('Publish', { code: 'UNAVAILABLE' });

    assert.deepEqual(
      [(await deliver({ event })).kind, (await deliver({ event })).kind],
      ['transient', 'delivered'],
    );
  });
});
