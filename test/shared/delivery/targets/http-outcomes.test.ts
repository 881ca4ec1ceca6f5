import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useDatabase } from '../../../support/database.ts';
import { findFreePort } from '../../../support/free-port.ts';
import { anHttpDelivery } from '../../../support/http-delivery.ts';
import { type Answer, useHttpTarget } from '../../../support/http-target.ts';
import { send } from '../../../support/send.ts';

describe('the outcome of a delivery by HTTP', () => {
  const target = useHttpTarget();
  const deliver = (answer: Answer, more: Parameters<typeof anHttpDelivery>[1] = {}) => {
    target().answer = answer;
    return send(anHttpDelivery(target().url, more));
  };

  it('records the response of the target', async () => {
    const outcome = await deliver((_, response) => response.writeHead(201).end('made'));

    const reasonCodes = ['201', '2xx'];
    assert.deepEqual(outcome, { kind: 'delivered', reasonCodes, responseStatus: 201, responseBody: 'made' });
  });

  it('has the status and the beginning of the response as error', async () => {
    const { kind, error } = await deliver((_, response) =>
      response.writeHead(503).end(`busy${'.'.repeat(500)}`),
    );

    assert.equal(kind, 'transient');
    assert.equal(error, `HTTP 503: busy${'.'.repeat(196)}`);
  });

  it('is permanent if the target can never accept the message', async () => {
    const { kind, error } = await deliver((_, response) => response.writeHead(422).end());

    assert.deepEqual([kind, error], ['permanent', 'HTTP 422: no body']);
  });

  it('is transient for a redirect, which is not followed', async () => {
    const location = target().url;
    const { kind, responseStatus } = await deliver((_, response) =>
      response.writeHead(307, { location }).end(),
    );

    assert.deepEqual([kind, responseStatus, target().received.length], ['transient', 307, 1]);
  });

  it('is that of the answer that follows a "100 Continue", which no delivery asks for', async () => {
    const { kind, responseStatus } = await deliver((_, response) => {
      response.writeContinue();
      response.writeHead(201).end();
    });

    assert.deepEqual([kind, responseStatus], ['delivered', 201]);
  });

  it('is delivered by a 204 whose headers announce a body', async () => {
    const { kind, responseStatus } = await deliver((_, response) =>
      response.writeHead(204, { 'content-length': 7 }).end(),
    );

    assert.deepEqual([kind, responseStatus], ['delivered', 204]);
  });

  it('is transient by a 304, whose headers are those of a 200 with its body', async () => {
    const { kind, responseStatus } = await deliver((_, response) =>
      response.writeHead(304, { 'content-length': 7 }).end(),
    );

    assert.deepEqual([kind, responseStatus], ['transient', 304]);
  });

  it('is that of the status, also of an answer with 100 kB of headers', async () => {
    const { kind, responseStatus } = await deliver((_, response) =>
      response.writeHead(422, { 'x-debug': 'x'.repeat(100_000) }).end(),
    );

    assert.deepEqual([kind, responseStatus], ['permanent', 422]);
  });

  it('is transient if the connection is refused', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}/`;

    const { kind, error } = await send(anHttpDelivery(url));
    assert.equal(kind, 'transient');
    assert.match(error ?? '', /ECONNREFUSED/);
  });

  it('names the reason of TLS for a target that does not speak it', async () => {
    const { kind, error } = await send(anHttpDelivery(target().url.replace('http:', 'https:')));

    assert.deepEqual([kind, error], ['transient', 'wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)']);
  });

  it('is transient if the host name does not resolve', async () => {
    assert.equal((await send(anHttpDelivery('http://nowhere.invalid/'))).kind, 'transient');
  });

  it('is ambiguous if the target does not respond', async () => {
    const { kind, error } = await deliver(() => {}, { timeoutSeconds: 2 });

    assert.deepEqual([kind, error], ['ambiguous', 'no answer within 2 s']);
  });

  it('is ambiguous if the connection breaks after the request was sent', async () => {
    const { kind, error } = await deliver((_, response) => response.socket?.resetAndDestroy());

    assert.equal(kind, 'ambiguous');
    assert.match(error ?? '', /ECONNRESET|socket hang up/);
  });

  it('is ambiguous if the response breaks off', async () => {
    const breakOff: Answer = (_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    };

    assert.equal((await deliver(breakOff)).kind, 'ambiguous');
  });

  it('stores the beginning of a huge response and discards the rest', async () => {
    const { kind, responseBody } = await deliver((_, response) => response.end('é'.repeat(5_000_000)));

    assert.deepEqual([kind, responseBody], ['delivered', 'é'.repeat(2000)]);
  });

  it('is ambiguous if a response never ends', async () => {
    const goOn: Answer = (_, response) => {
      const sending = setInterval(() => response.write('x'.repeat(1000)), 50);
      response.once('close', () => clearInterval(sending));
    };

    const { kind, error } = await deliver(goOn, { timeoutSeconds: 2 });
    assert.deepEqual([kind, error], ['ambiguous', 'HTTP 200, but no end of the answer within 2 s']);
  });
});

describe('a response', () => {
  const target = useHttpTarget();
  const database = useDatabase();

  it('is changed to text that PostgreSQL can store', async () => {
    target().answer = (_, response) => response.writeHead(500).end(Buffer.from([65, 0, 0xff, 66]));
    const { responseBody, error } = await send(anHttpDelivery(target().url));

    const [row] = await database().sql('select $1::text as body, $2::text as error', [responseBody, error]);
    assert.deepEqual(row, { body: 'A\ufffd\ufffdB', error: 'HTTP 500: A\ufffd\ufffdB' });
  });
});
