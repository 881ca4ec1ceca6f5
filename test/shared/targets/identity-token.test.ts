import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { deliverByHttp } from '../../../shared/targets/http.ts';
import { anHttpDelivery, valuesOf } from '../../support/http-delivery.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aToken, useMetadataServer } from '../../support/metadata-server.ts';

describe('an identity token', () => {
  const target = useHttpTarget();
  const metadata = useMetadataServer();
  afterEach(() => {
    delete process.env.K_SERVICE;
  });
  const deliver = (audience: string, more: Parameters<typeof anHttpDelivery>[1] = {}) =>
    deliverByHttp(anHttpDelivery(target().url, { ...more, target: { audience, ...more.target } }));
  const authorizations = () =>
    target().received.map(({ rawHeaders }) => valuesOf(rawHeaders, 'authorization'));

  it('goes with a delivery to a target that has an audience, and with the next one as well', async () => {
    await deliver('https://shop/');
    await deliver('https://shop/');

    assert.deepEqual(metadata().audiences, ['https://shop/']);
    assert.deepEqual(new Set(authorizations().flat()), new Set([`Bearer ${aToken('https://shop/')}`]));
  });

  it('is not asked for where a target has none', async () => {
    await deliverByHttp(anHttpDelivery(target().url));

    assert.deepEqual([metadata().audiences, authorizations()], [[], [[]]]);
  });

  it('is never the one that an event brings', async () => {
    await deliver('https://shop/', { event: { headers: { authorization: 'Bearer stolen' } } });

    assert.deepEqual(authorizations(), [[`Bearer ${aToken('https://shop/')}`]]);
  });

  it('gives way to an authorization that is configured', async () => {
    await deliver('https://shop/', { target: { headers: { Authorization: 'Basic ours' } } });

    assert.deepEqual(authorizations(), [['Basic ours']]);
  });

  it('is done without where nothing can mint one, as on a laptop', async () => {
    process.env.METADATA_SERVER_DETECTION = 'none';

    assert.equal((await deliver('https://laptop')).kind, 'delivered');
    assert.deepEqual(authorizations(), [[]]);
  });

  it('is not done without on Google Cloud: nothing is sent, and the next delivery tries again', async () => {
    process.env.K_SERVICE = 'retry';
    process.env.METADATA_SERVER_DETECTION = 'none';
    assert.equal((await deliver('https://cloud')).kind, 'transient');
    assert.deepEqual(target().received, []);

    process.env.METADATA_SERVER_DETECTION = 'assume-present';
    assert.equal((await deliver('https://cloud')).kind, 'delivered');
  });

  it('that is refused leaves the delivery unsent', async () => {
    metadata().answer = (response) => response.writeHead(404).end();

    assert.equal((await deliver('https://refused')).kind, 'transient');
    assert.deepEqual(target().received, []);
  });

  it('is waited for no longer than a delivery may last', async () => {
    metadata().answer = () => {};

    const { kind, error } = await deliver('https://slow', { timeoutSeconds: 0.1 });
    assert.deepEqual([kind, error], ['transient', 'No identity token could be had in time.']);
  });
});
