import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { deliverByPubSub } from '../../../../shared/delivery/targets/pubsub.ts';
import { aPubSubDelivery } from '../../../support/pubsub-delivery.ts';

describe('a delivery by Pub/Sub without credentials', () => {
  const { PUBSUB_EMULATOR_HOST, GOOGLE_APPLICATION_CREDENTIALS } = process.env;
  before(() => {
    delete process.env.PUBSUB_EMULATOR_HOST;
    process.env.GOOGLE_APPLICATION_CREDENTIALS = '/nowhere/credentials.json';
  });
  after(() => {
    if (PUBSUB_EMULATOR_HOST) process.env.PUBSUB_EMULATOR_HOST = PUBSUB_EMULATOR_HOST;
    if (GOOGLE_APPLICATION_CREDENTIALS) {
      process.env.GOOGLE_APPLICATION_CREDENTIALS = GOOGLE_APPLICATION_CREDENTIALS;
    } else delete process.env.GOOGLE_APPLICATION_CREDENTIALS;
  });

  it('is transient, because nothing was sent', async () => {
    const { kind, error } = await deliverByPubSub(aPubSubDelivery('projects/acme/topics/orders'));

    assert.equal(kind, 'transient');
    assert.match(error ?? '', /credentials\.json/);
  });
});
