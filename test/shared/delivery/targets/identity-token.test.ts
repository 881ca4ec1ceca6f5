import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { anHttpDelivery, valuesOf } from '../../../support/http-delivery.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { aToken, useMetadataServer } from '../../../support/metadata-server.ts';
import { send } from '../../../support/send.ts';

describe('an identity token', () => {
  const target = useHttpTarget();
  const metadata = useMetadataServer();
  afterEach(() => {
    delete process.env.K_SERVICE;
  });
  const deliver = (audience: string, more: Parameters<typeof anHttpDelivery>[1] = {}) =>
    send(anHttpDelivery(target().url, { ...more, target: { audience, ...more.target } }));
  const authorizations = () =>
    target().received.map(({ rawHeaders }) => valuesOf(rawHeaders, 'authorization'));

  it('is sent with every delivery to a target with an audience', async () => {
    await deliver('https://shop/');
    await deliver('https://shop/');

    assert.deepEqual(metadata().audiences, ['https://shop/']);
    assert.deepEqual(new Set(authorizations().flat()), new Set([`Bearer ${aToken('https://shop/')}`]));
  });

  it('is not requested for a target without an audience', async () => {
    await send(anHttpDelivery(target().url));

    assert.deepEqual([metadata().audiences, authorizations()], [[], [[]]]);
  });

  it('is never taken from the event', async () => {
    await deliver('https://shop/', { event: { headers: { authorization: 'Bearer stolen' } } });

    assert.deepEqual(authorizations(), [[`Bearer ${aToken('https://shop/')}`]]);
  });

  it('is replaced by a configured Authorization header', async () => {
    await deliver('https://shop/', { target: { headers: { Authorization: 'Basic ours' } } });

    assert.deepEqual(authorizations(), [['Basic ours']]);
  });

  it('is omitted if the credentials cannot mint one, as on a laptop', async () => {
    process.env.METADATA_SERVER_DETECTION = 'none';

    assert.equal((await deliver('https://laptop')).kind, 'delivered');
    assert.deepEqual(authorizations(), [[]]);
  });

  it('is required on Google Cloud: without it nothing is sent, and the next delivery requests it again', async () => {
    process.env.K_SERVICE = 'retry';
    process.env.METADATA_SERVER_DETECTION = 'none';
    assert.equal((await deliver('https://cloud')).kind, 'transient');
    assert.deepEqual(target().received, []);

    process.env.METADATA_SERVER_DETECTION = 'assume-present';
    assert.equal((await deliver('https://cloud')).kind, 'delivered');
  });

  it('that cannot be obtained leaves the delivery unsent', async () => {
    metadata().answer = (response) => response.writeHead(404).end();

    assert.equal((await deliver('https://refused')).kind, 'transient');
    assert.deepEqual(target().received, []);
  });

  it('is waited for up to timeoutSeconds', async () => {
    metadata().answer = () => {};

    const { kind, error } = await deliver('https://slow', { timeoutSeconds: 0.1 });
    assert.deepEqual([kind, error], ['transient', 'Timed out while obtaining an identity token.']);
  });
});
