import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { type OutcomeTable, overrule } from '../../../../shared/delivery/targets/outcome.ts';
import { findFreePort } from '../../../support/free-port.ts';
import { anHttpDelivery } from '../../../support/http-delivery.ts';
import { type Answer, useHttpTarget } from '../../../support/http-target.ts';
import { useKafkaBridge } from '../../../support/kafka-bridge.ts';
import { aKafkaRestDelivery } from '../../../support/kafka-rest-delivery.ts';
import { aPubSubDelivery } from '../../../support/pubsub-delivery.ts';
import { usePubSubTarget } from '../../../support/pubsub-target.ts';
import { send } from '../../../support/send.ts';

describe('a route can overrule, for a delivery by HTTP,', () => {
  const target = useHttpTarget();
  const deliver = async (outcomes: OutcomeTable, answer: Answer, timeoutSeconds = 10) => {
    target().answer = answer;
    const outcome = await send(anHttpDelivery(target().url, { timeoutSeconds }));
    return overrule(outcome, outcomes).kind;
  };

  it('an HTTP status', async () => {
    const kind = await deliver({ 404: 'permanent' }, (_, response) => response.writeHead(404).end());

    assert.equal(kind, 'permanent');
  });

  it('a connection error after the request was sent', async () => {
    const reset: Answer = (_, response) => response.socket?.resetAndDestroy();

    assert.equal(await deliver({ ECONNRESET: 'transient' }, reset), 'transient');
    assert.equal(await deliver({ unanswered: 'permanent' }, reset), 'permanent');
  });

  it('a response that did not arrive in time', async () => {
    assert.equal(await deliver({ timeout: 'permanent' }, () => {}, 2), 'permanent');
  });

  it('a refused connection', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}/`;
    const outcome = await send(anHttpDelivery(url));

    assert.equal(overrule(outcome, { ECONNREFUSED: 'permanent' }).kind, 'permanent');
    assert.equal(overrule(outcome, { unsent: 'permanent' }).kind, 'permanent');
  });

  it('a connection timeout, which is distinct from a response timeout', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = address && typeof address === 'object' ? address.port : 0;
    // A server that never answers the TLS handshake: no request can be sent to it.
    const delivery = anHttpDelivery(`https://127.0.0.1:${port}/`, { timeoutSeconds: 0.3 });
    const outcome = await send(delivery);
    silent.close();

    assert.equal(overrule(outcome, { timeout: 'permanent' }).kind, 'transient');
    assert.equal(overrule(outcome, { ETIMEDOUT: 'permanent' }).kind, 'permanent');
  });

  it('a failed TLS handshake, before which nothing is sent', async () => {
    const outcome = await send(anHttpDelivery(target().url.replace('http:', 'https:')));

    assert.equal(outcome.kind, 'transient');
    assert.equal(overrule(outcome, { EPROTO: 'permanent' }).kind, 'permanent');
  });
});

describe('a route can overrule, for a delivery through a Kafka bridge,', () => {
  const bridge = useKafkaBridge('strimzi');
  const deliver = () => send(aKafkaRestDelivery('strimzi', bridge().url));

  it('the error code of the record in a 200', async () => {
    bridge().failNext(404, 'no such topic');
    const outcome = await deliver();

    assert.equal(overrule(outcome, { 404: 'permanent', '2xx': 'delivered' }).kind, 'permanent');
  });

  it('only a code of the record, and not a 200 without a report', async () => {
    bridge().answerNext(200, '<html>Sign in</html>');
    const outcome = await deliver();

    assert.equal(overrule(outcome, { 200: 'delivered', '2xx': 'delivered' }).kind, 'ambiguous');
  });
});

describe('a route can overrule, for a delivery by Pub/Sub,', () => {
  const target = usePubSubTarget();

  it('a gRPC status', async () => {
    target().failNext('Publish', { code: 'PERMISSION_DENIED' });
    const outcome = await send(aPubSubDelivery(target().topic));

    assert.equal(overrule(outcome, { 'grpc:7': 'permanent' }).kind, 'permanent');
  });
});

describe('the Retry-After header of a target', () => {
  const target = useHttpTarget();

  for (const status of [307, 429, 500, 503]) {
    it(`is respected with ${status}`, async () => {
      target().answer = (_, response) => response.writeHead(status, { 'retry-after': '120' }).end();

      const { retryAfterSeconds } = await send(anHttpDelivery(target().url));
      assert.equal(retryAfterSeconds, 120);
    });
  }

  it('is respected if it is a date', async () => {
    const date = new Date(Date.now() + 600_000).toUTCString();
    target().answer = (_, response) => response.writeHead(503, { 'retry-after': date }).end();

    const { retryAfterSeconds = 0 } = await send(anHttpDelivery(target().url));
    assert.ok(retryAfterSeconds > 500 && retryAfterSeconds <= 600);
  });

  it('is ignored if it is invalid', async () => {
    target().answer = (_, response) => response.writeHead(503, { 'retry-after': 'later' }).end();

    assert.ok(!('retryAfterSeconds' in (await send(anHttpDelivery(target().url)))));
  });
});
